// Adam on the variables of about two thirds of a layer, and the parts of a gradient's norm.
#include "bench/kernels/map_case.h"
#include "engine/kernels/optimizer.h"
#include "engine/kernels/reference/optimizer.h"

namespace phasor::bench {

namespace {

KernelCase adam_case() {
  const kernels::AdamSettings settings{.weight_decay = 0.01f};
  const kernels::AdamStep step{.learning_rate = 1e-4f};
  const Floats w = uniform(1, kMapSize), m = uniform(2, kMapSize), v = uniform(3, kMapSize, 0);
  const Floats g = uniform(4, kMapSize), new_w(kMapSize), new_m(kMapSize), new_v(kMapSize);
  return {.limit = Limit::memory,
          .work = bytes_of(7 * kMapSize),
          .run =
              [=] {
                kernels::adam(settings, step, 1, w.in(), m.in(), v.in(), g.in(), new_w.out(), new_m.out(), new_v.out());
              },
          .compare =
              [=] {
                Doubles out_w(kMapSize), out_m(kMapSize), out_v(kMapSize);
                reference::adam<double>(settings, step, 1, widen(w), widen(m), widen(v), widen(g), out_w, out_m, out_v);
                return std::vector{Comparison{widen(new_w), out_w}, Comparison{widen(new_m), out_m},
                                   Comparison{widen(new_v), out_v}};
              }};
}

}  // namespace

KernelEntries optimizer_cases() {
  return {{"adam", [](int) { return adam_case(); }},
          map_case(
              "square_sum", kMapSize, 1, [](In x, In, Out y) { kernels::square_sum(x, y); },
              [](Wide x, Wide, Doubles& y) { reference::square_sum<double>(x, y); })};
}

}  // namespace phasor::bench
