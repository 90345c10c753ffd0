// Adam on the variables of about two thirds of a layer, and the parts of a gradient's norm.
#include "bench/kernels/map_case.h"
#include "engine/kernels/optimizers/optimizer.h"
#include "engine/kernels/reference/optimizer.h"
#include "engine/kernels/square_sum.h"

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
                kernels::adam(settings, step, 1,
                              {.w = w.in(),
                               .m = m.in(),
                               .v = v.in(),
                               .g = g.in(),
                               .new_w = new_w.out(),
                               .new_m = new_m.out(),
                               .new_v = new_v.out(),
                               .rounded_w = rounded_w.out()});
              },
          .compare =
              [=] {
                Doubles out_w(kMapSize), out_m(kMapSize), out_v(kMapSize);
                reference::adam<double>(settings, step, 1, widen(w), widen(m), widen(v), widen(g), out_w, out_m, out_v);
                return std::vector{Comparison{widen(new_w), out_w}, Comparison{widen(new_m), out_m},
                                   Comparison{widen(new_v), out_v}};
              }};
}

// Every run adds once more, so the first run is compared.
KernelCase square_sum_case() {
  const Floats x = uniform(1, kMapSize);
  const auto sum = std::make_shared<std::vector<std::int64_t>>(kernels::kSquareSumNumbers);
  return {.limit = Limit::memory,
          .work = bytes_of(kMapSize),
          .run = [=] { kernels::square_sum(x.in(), *sum); },
          .compare =
              [=] {
                double expected = 0;
                for (double value : widen(x)) expected += value * value;
                return std::vector{Comparison{{kernels::square_sum_value(*sum)}, {expected}}};
              }};
}

}  // namespace

KernelEntries optimizer_cases() {
  return {{"adam", [](int) { return adam_case(false); }},
          {"adam/rounding", [](int) { return adam_case(true); }},
          {"square_sum", [](int) { return square_sum_case(); }}};
}

}  // namespace phasor::bench
