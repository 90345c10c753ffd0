#include "bench/kernels/map_case.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/reference/dropout.h"

namespace phasor::bench {

KernelEntries dropout_cases() {
  return in_both_types([]<class T> {
    return KernelEntries{map_case<T>(
        "dropout", bytes_of<T>(2 * kMapSize), kMapSize,
        [](In<T> x, In<T>, Out<T> y) { kernels::dropout<T>(kPosition, 1, 0.1f, kBatch, x, y); },
        [](Wide x, Wide, Doubles& y) { reference::dropout<double>(kPosition, 1, 0.1f, kBatch, x, y); })};
  });
}

}  // namespace phasor::bench
