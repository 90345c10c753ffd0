#include "bench/kernels/map_case.h"
#include "engine/kernels/layout.h"
#include "engine/kernels/reference/layout.h"

namespace phasor::bench {

KernelEntries layout_cases() {
  return {map_case(
              "transpose", 2 * kMapSize, kMapSize, [](In x, In, Out y) { kernels::transpose(kTokens, kInner, x, y); },
              [](Wide x, Wide, Doubles& y) { reference::transpose<double>(kTokens, kInner, x, y); }),
          map_case(
              "copy", 2 * kMapSize, kMapSize, [](In x, In, Out y) { kernels::copy(x, y); },
              [](Wide x, Wide, Doubles& y) { reference::copy<double>(x, y); })};
}

}  // namespace phasor::bench
