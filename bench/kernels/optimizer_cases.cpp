// Adam on the variables of about two thirds of a layer, and the parts of a gradient's norm.
#include "bench/kernels/map_case.h"
#include "engine/kernels/optimizer.h"
#include "engine/kernels/reference/optimizer.h"

namespace phasor::bench {

namespace {

// With `rounded`, the weights are stored in bfloat16 too, for the next step's products.
KernelCase adam_case(bool rounded) {
  const kernels::AdamSettings settings{.weight_decay = 0.01f};
  const kernels::AdamStep step{.learning_rate = 1e-4f};
  const Floats w = uniform(1, kMapSize), m = uniform(2, kMapSize), v = uniform(3, kMapSize, 0);
  const Floats g = uniform(4, kMapSize), new_w(kMapSize), new_m(kMapSize), new_v(kMapSize);
  const Elements<bfloat16> rounded_w(rounded ? kMapSize : 0);
  return {.limit = Limit::memory,
          .work = bytes_of(7 * kMapSize) + bytes_of<bfloat16>(rounded ? kMapSize : 0),
          .run =
              [=] {
                kernels::adam(settings, step, 1, w.in(), m.in(), v.in(), g.in(), new_w.out(), new_m.out(), new_v.out(),
                              rounded_w.out());
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
  return {
      {"adam", [](int) { return adam_case(false); }},
      {"adam/rounding", [](int) { return adam_case(true); }},
      map_case<float>(
          "square_sum", bytes_of(kMapSize), 1, [](In<float> x, In<float>, Out<float> y) { kernels::square_sum(x, y); },
          [](Wide x, Wide, Doubles& y) { reference::square_sum<double>(x, y); })};
}

}  // namespace phasor::bench
