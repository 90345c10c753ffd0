#include "bench/kernels/map_case.h"
#include "engine/kernels/dropout.h"
#include "engine/kernels/reference/dropout.h"

namespace phasor::bench {

KernelEntries dropout_cases() {
  return {map_case(
      "dropout", 2 * kMapSize, kMapSize, [](In x, In, Out y) { kernels::dropout(kPosition, 1, 0.1f, kBatch, x, y); },
      [](Wide x, Wide, Doubles& y) { reference::dropout<double>(kPosition, 1, 0.1f, kBatch, x, y); })};
}

}  // namespace phasor::bench
