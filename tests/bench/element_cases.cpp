// What works element by element, at the size of the intermediate layer's activations, and the optimizer.
#include "engine/kernels/elementwise.h"
#include "engine/kernels/gelu.h"
#include "engine/kernels/layout.h"
#include "engine/kernels/reference/dropout.h"
#include "engine/kernels/reference/elementwise.h"
#include "engine/kernels/reference/gelu.h"
#include "engine/kernels/reference/layout.h"
#include "engine/kernels/reference/optimizer.h"
#include "tests/bench/kernel_case.h"

namespace phasor::bench {

namespace {

using test::widen;

constexpr std::int64_t kSize = kTokens * kInner;

// `run` computes results from x and b; `expected` does so by the reference, in double, on the same inputs.
template <class Run, class Expected>
Case element_case(const std::string& name, std::int64_t floats_moved, std::int64_t results, Run run,
                  Expected expected) {
  const Floats &x = keep(test::uniform(1, kSize)), &b = keep(test::uniform(2, kInner));
  Floats& y = keep(Floats(results));
  return {.name = name,
          .unit = "GB/s",
          .work = bytes_of(floats_moved),
          .run = [&, run] { run(x, b, y); },
          .results = y,
          .expected =
              [&, expected, results] {
                Doubles out(results);
                expected(widen(x), widen(b), out);
                return out;
              }};
}

Case adam_case() {
  const kernels::AdamSettings settings{.weight_decay = 0.01f};
  const kernels::AdamStep step{.learning_rate = 1e-4f};
  const Floats &w = keep(test::uniform(1, kSize)), &m = keep(test::uniform(2, kSize));
  const Floats &v = keep(test::uniform(3, kSize, 0, 1)), &g = keep(test::uniform(4, kSize));
  Floats &new_w = keep(Floats(kSize)), &new_m = keep(Floats(kSize)), &new_v = keep(Floats(kSize));
  return {.name = "adam",
          .unit = "GB/s",
          .work = bytes_of(7 * kSize),
          .run = [&, settings, step] { kernels::adam(settings, step, 1, w, m, v, g, new_w, new_m, new_v); },
          .results = new_w,
          .expected =
              [&, settings, step] {
                Doubles out(kSize), out_m(kSize), out_v(kSize);
                reference::adam<double>(settings, step, 1, widen(w), widen(m), widen(v), widen(g), out, out_m, out_v);
                return out;
              }};
}

}  // namespace

std::vector<Case> element_cases() {
  using In = const Floats&;
  using Wide = const Doubles&;
  return {
      element_case(
          "add/bias", 2 * kSize, kSize, [](In x, In b, Floats& y) { kernels::add<float>(x, b, y); },
          [](Wide x, Wide b, Doubles& y) { reference::add<double>(x, b, y); }),
      element_case(
          "add/residual", 3 * kSize, kSize, [](In x, In, Floats& y) { kernels::add<float>(x, x, y); },
          [](Wide x, Wide, Doubles& y) { reference::add<double>(x, x, y); }),
      element_case(
          "reduce_sum", kSize, kInner, [](In x, In, Floats& y) { kernels::reduce_sum<float>(x, y); },
          [](Wide x, Wide, Doubles& y) { reference::reduce_sum<double>(x, y); }),
      element_case(
          "gelu", 2 * kSize, kSize, [](In x, In, Floats& y) { kernels::gelu<float>(x, y); },
          [](Wide x, Wide, Doubles& y) { reference::gelu<double>(x, y); }),
      element_case(
          "gelu_gradient", 3 * kSize, kSize, [](In x, In, Floats& y) { kernels::gelu_gradient<float>(x, x, y); },
          [](Wide x, Wide, Doubles& y) { reference::gelu_gradient<double>(x, x, y); }),
      element_case(
          "dropout", 2 * kSize, kSize,
          [](In x, In, Floats& y) { kernels::dropout<float>(kPosition, 1, 0.1f, kBatch, x, y); },
          [](Wide x, Wide, Doubles& y) { reference::dropout<double>(kPosition, 1, 0.1f, kBatch, x, y); }),
      element_case(
          "transpose", 2 * kSize, kSize, [](In x, In, Floats& y) { kernels::transpose<float>(kTokens, kInner, x, y); },
          [](Wide x, Wide, Doubles& y) { reference::transpose<double>(kTokens, kInner, x, y); }),
      element_case(
          "copy", 2 * kSize, kSize, [](In x, In, Floats& y) { kernels::copy<float>(x, y); },
          [](Wide x, Wide, Doubles& y) { reference::copy<double>(x, y); }),
      element_case(
          "square_sum", kSize, 1, [](In x, In, Floats& y) { kernels::square_sum(x, y); },
          [](Wide x, Wide, Doubles& y) { reference::square_sum<double>(x, y); }),
      adam_case(),
  };
}

}  // namespace phasor::bench
