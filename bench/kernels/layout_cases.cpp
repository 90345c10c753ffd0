#include "bench/kernels/map_case.h"
#include "engine/kernels/layout.h"
#include "engine/kernels/reference/layout.h"

namespace phasor::bench {

KernelEntries layout_cases() {
  return in_both_types([]<class T> {
    return KernelEntries{
        map_case<T>(
            "transpose", bytes_of<T>(2 * kMapSize), kMapSize,
            [](In<T> x, In<T>, Out<T> y) { kernels::transpose<T>(kTokens, kInner, x, y); },
            [](Wide x, Wide, Doubles& y) { reference::transpose<double>(kTokens, kInner, x, y); }),
        map_case<T>(
            "copy", bytes_of<T>(2 * kMapSize), kMapSize, [](In<T> x, In<T>, Out<T> y) { kernels::copy<T>(x, y); },
            [](Wide x, Wide, Doubles& y) { reference::copy<double>(x, y); })};
  });
}

}  // namespace phasor::bench
