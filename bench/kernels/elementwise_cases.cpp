#include "bench/kernels/map_case.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/reference/elementwise.h"

namespace phasor::bench {

KernelEntries elementwise_cases() {
  return {map_case(
              "add/bias", 2 * kMapSize, kMapSize, [](In x, In b, Out y) { kernels::add(x, b.first(kInner), y); },
              [](Wide x, Wide b, Doubles& y) { reference::add<double>(x, std::span(b).first(kInner), y); }),
          map_case(
              "add/residual", 3 * kMapSize, kMapSize, [](In x, In b, Out y) { kernels::add(x, b, y); },
              [](Wide x, Wide b, Doubles& y) { reference::add<double>(x, b, y); }),
          map_case(
              "reduce_sum", kMapSize, kInner, [](In x, In, Out y) { kernels::reduce_sum(x, y); },
              [](Wide x, Wide, Doubles& y) { reference::reduce_sum<double>(x, y); })};
}

}  // namespace phasor::bench
