#include "engine/kernels/optimizers/optimizer.h"

#include "engine/kernels/reference/optimizer.h"
#include "engine/kernels/square_sum.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
#include "tests/support/teams.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

constexpr AdamSettings kSettings{.beta1 = 0.9, .beta2 = 0.999, .eps = 1e-6f, .weight_decay = 0.01f};
constexpr AdamStep kStep{.learning_rate = 1e-3f, .gradient_scale = 0.125f, .correction1 = 3.69f, .correction2 = 333.6f};
constexpr float kClip = 0.75f;
constexpr std::size_t kParameterCounts[] = {0, 1, 7, 16, 97, 1000, 16384, 50021};

struct Variable {
  explicit Variable(std::size_t count)
      : w(uniform(1, count)), m(spread(2, count)), v(count), g(spread(3, count)), size(count) {
    for (std::size_t i = 0; i < count; ++i) v[i] = i % 5 == 0 ? 0 : std::abs(m[i]) * std::abs(g[i]);
  }
  // In place, on the elements [first, first + count).
  void update(std::size_t first, std::size_t count, const AdamSettings& settings = kSettings) {
    const auto part = [=](Floats& x) { return std::span(x).subspan(first, count); };
    adam(
        settings, kStep, kClip,
        {.w = part(w), .m = part(m), .v = part(v), .g = part(g), .new_w = part(w), .new_m = part(m), .new_v = part(v)});
  }
  Floats all() const { return joined({w, m, v}); }

  Floats w, m, v, g;
  std::size_t size;
};

// Each result is a short chain of roundings: of the gradient, m and v relative to the sizes of their two terms, of w
// relative to the step taken, which shares the errors of m and, through the divisor, of v.
void expect_adam(std::size_t size, const AdamSettings& settings) {
  const Variable before(size);
  const Floats after = same_for_all_teams([&] {
    Variable variable = before;
    variable.update(0, size, settings);
    return variable.all();
  });
  Doubles w(size), m(size), v(size), w_bound(size), m_bound(size), v_bound(size);
  reference::adam<double>(settings, kStep, kClip, widen(before.w), widen(before.m), widen(before.v), widen(before.g), w,
                          m, v);
  for (std::size_t i = 0; i < size; ++i) {
    const double decay = settings.weight_decay * std::abs(before.w[i]);
    const double gradient =
        std::abs(double{before.g[i]} * kStep.gradient_scale * kClip) + (settings.decoupled ? 0 : decay);
    m_bound[i] = rounding(7) * (settings.beta1 * std::abs(before.m[i]) + (1 - settings.beta1) * gradient);
    v_bound[i] = rounding(11) * (settings.beta2 * before.v[i] + (1 - settings.beta2) * gradient * gradient);
    const double root = std::sqrt(v[i] * kStep.correction2), divisor = root + settings.eps;
    const double root_error = v[i] == 0 ? 0 : root * v_bound[i] / v[i];
    const double step = kStep.correction1 / divisor;
    w_bound[i] = kStep.learning_rate * (m_bound[i] * step + std::abs(m[i]) * step * root_error / divisor +
                                        rounding(8) * (std::abs(m[i]) * step + decay)) +
                 rounding(1) * std::abs(w[i]);
  }
  const std::span results(after);
  expect_within(results.first(size), w, w_bound);
  expect_within(results.subspan(size, size), m, m_bound);
  expect_within(results.last(size), v, v_bound);
}

TEST(Adam, AgreesWithTheReference) {
  for (std::size_t size : kParameterCounts) {
    AdamSettings settings = kSettings;
    expect_adam(size, settings);
    settings.decoupled = false;
    expect_adam(size, settings);
  }
}

TEST(Adam, ShardsOfAnySizeGiveTheBitsOfTheWhole) {
  Variable whole(1031);
  whole.update(0, 1031);
  for (std::size_t shard : {1u, 5u, 16u, 100u, 516u, 1030u}) {
    Variable sharded(1031);
    for (std::size_t first = 0; first < 1031; first += shard) sharded.update(first, std::min(shard, 1031 - first));
    EXPECT_TRUE(same_bits(sharded.all(), whole.all())) << shard;
  }
}

TEST(Adam, ApartFromInPlace) {
  const Variable before(333);
  Variable after = before;
  after.update(0, 333);
  Floats w(333), m(333), v(333);
  adam(kSettings, kStep, kClip,
       {.w = before.w, .m = before.m, .v = before.v, .g = before.g, .new_w = w, .new_m = m, .new_v = v});
  EXPECT_TRUE(same_bits(joined({w, m, v}), after.all()));
}

TEST(Adam, RoundsTheNewWeights) {
  for (std::size_t size : kParameterCounts) {
    const Variable before(size);
    Variable plain = before;
    plain.update(0, size);
    const Floats rounded = same_for_all_teams([&] {
      Variable after = before;
      Buffer<bfloat16> copy(size);
      adam(kSettings, kStep, kClip,
           {.w = after.w,
            .m = after.m,
            .v = after.v,
            .g = after.g,
            .new_w = after.w,
            .new_m = after.m,
            .new_v = after.v,
            .rounded_w = copy});
      EXPECT_TRUE(same_bits(after.all(), plain.all()));
      return loaded(copy);
    });
    EXPECT_TRUE(same_bits(rounded, representable<bfloat16>(plain.w)));
  }
}

TEST(ClipFactor, AgreesWithTheReference) {
  const Floats whole{0.25f};
  for (float scale : {1.0f, 0.01f})
    for (const Floats& squared : {Floats{}, Floats{0, 0}, Floats{0.5f}, Floats{10, 3, 0.5f}, Floats{1e15f, 1}}) {
      std::vector<std::int64_t> sharded, sum(kSquareSumNumbers);
      square_sum(whole, sum);
      double expected_sum = double{whole[0]} * whole[0];
      for (float x : squared) {
        sharded.resize(sharded.size() + kSquareSumNumbers);
        square_sum(Floats{x}, std::span(sharded).last(kSquareSumNumbers));
        expected_sum += double{x} * x;
      }
      Floats clip(1), norm(1);
      Doubles expected(1), expected_norm(1);
      clip_factor(1.5f, scale, sharded, sum, clip, norm);
      reference::clip_factor<double>(1.5f, scale, expected_sum, expected, expected_norm);
      expect_within(norm, expected_norm, Doubles{rounding(1) * expected_norm[0] * (1 + kRoundoff)});
      expect_within(clip, expected, Doubles{rounding(1) * expected[0] * (1 + kRoundoff)});
    }
}

}  // namespace
}  // namespace phasor::kernels
