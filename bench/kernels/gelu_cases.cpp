#include "bench/kernels/map_case.h"
#include "engine/kernels/gelu.h"
#include "engine/kernels/reference/gelu.h"

namespace phasor::bench {

KernelEntries gelu_cases() {
  return in_both_types([]<class T> {
    return KernelEntries{
        map_case<T>(
            "gelu", bytes_of<T>(2 * kMapSize), kMapSize, [](In<T> x, In<T>, Out<T> y) { kernels::gelu<T>(x, y); },
            [](Wide x, Wide, Doubles& y) { reference::gelu<double>(x, y); }),
        map_case<T>(
            "gelu_gradient", bytes_of<T>(3 * kMapSize), kMapSize,
            [](In<T> x, In<T> dy, Out<T> dx) { kernels::gelu_gradient<T>(x, dy, dx); },
            [](Wide x, Wide dy, Doubles& dx) { reference::gelu_gradient<double>(x, dy, dx); })};
  });
}

}  // namespace phasor::bench
