#include "bench/kernels/map_case.h"
#include "engine/kernels/reference/relu.h"
#include "engine/kernels/relu.h"

namespace phasor::bench {

KernelEntries relu_cases() {
  return in_both_types([]<class T> {
    return KernelEntries{
        map_case<T>(
            "relu", bytes_of<T>(2 * kMapSize), kMapSize, [](In<T> x, In<T>, Out<T> y) { kernels::relu<T>(x, y); },
            [](Wide x, Wide, Doubles& y) { reference::relu<double>(x, y); }),
        map_case<T>(
            "relu_gradient", bytes_of<T>(3 * kMapSize), kMapSize,
            [](In<T> y, In<T> dy, Out<T> dx) { kernels::relu_gradient<T>(y, dy, dx); },
            [](Wide y, Wide dy, Doubles& dx) { reference::relu_gradient<double>(y, dy, dx); })};
  });
}

}  // namespace phasor::bench
