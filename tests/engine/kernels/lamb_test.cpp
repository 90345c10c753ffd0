#include "engine/kernels/optimizers/lamb.h"

#include "engine/kernels/optimizers/descent.h"
#include "engine/kernels/reference/lamb.h"
#include "tests/support/inputs.h"
#include "tests/support/teams.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {
namespace lamb_test {

using namespace phasor::test;

constexpr AdamSettings kSettings{.beta1 = 0.9, .beta2 = 0.999, .eps = 1e-6f, .weight_decay = 0.01f};
constexpr AdamStep kStep{.learning_rate = 1e-3f, .gradient_scale = 0.125f, .correction1 = 3.69f, .correction2 = 333.6f};
constexpr float kClip = 0.75f;

struct Variable {
  explicit Variable(std::size_t count)
      : w(uniform(1, count)), m(spread(2, count)), v(count), g(spread(3, count)), sums(kLambNumbers) {
    for (std::size_t i = 0; i < count; ++i) v[i] = 0.01f + std::abs(m[i]) * std::abs(g[i]);
  }
  // In place, on the elements [first, first + count).
  void take_moments(std::size_t first, std::size_t count) {
    const auto part = [=](Floats& x) { return std::span(x).subspan(first, count); };
    lamb_moments(
        kSettings, kStep, kClip,
        {.w = part(w), .m = part(m), .v = part(v), .g = part(g), .new_m = part(m), .new_v = part(v), .sums = sums});
  }
  void move(std::size_t first, std::size_t count) {
    const auto part = [=](Floats& x) { return std::span(x).subspan(first, count); };
    lamb_weights(kSettings, kStep, lamb_ratio(sums), {.w = part(w), .m = part(m), .v = part(v), .new_w = part(w)});
  }
  Floats all() const { return joined({w, m, v}); }

  Floats w, m, v, g;
  std::vector<std::int64_t> sums;
};

TEST(Lamb, AgreesWithTheReference) {
  for (std::size_t size : {1u, 97u, 1000u, 50021u}) {
    const Variable before(size);
    const Floats after = same_for_all_teams([&] {
      Variable variable = before;
      variable.take_moments(0, size);
      variable.move(0, size);
      return variable.all();
    });
    Doubles w(size), m(size), v(size);
    reference::lamb_moments<double>(kSettings, kStep, kClip, widen(before.m), widen(before.v), widen(before.g), m, v);
    double weights = 0, directions = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const double direction = reference::lamb_direction<double>(kSettings, kStep, before.w[i], m[i], v[i]);
      weights += double{before.w[i]} * before.w[i];
      directions += direction * direction;
    }
    const double ratio = std::sqrt(weights / directions);
    reference::lamb_weights<double>(kSettings, kStep, ratio, widen(before.w), m, v, w);
    Doubles bound(size);
    for (std::size_t i = 0; i < size; ++i) {  // of chains of some twenty roundings, in the step and in the ratio
      const double step = std::abs(w[i] - before.w[i]), moved = 1e-3 * ratio * (std::abs(m[i]) + 0.01);
      bound[i] = rounding(40) * (step + moved / std::sqrt(v[i])) + rounding(1) * std::abs(w[i]);
    }
    expect_within(std::span(after).first(size), w, bound);
  }
}

TEST(Lamb, PartsOfAnySizeGiveTheBitsOfTheWhole) {
  Variable whole(1031);
  whole.take_moments(0, 1031);
  whole.move(0, 1031);
  for (std::size_t part : {1u, 5u, 16u, 516u, 1030u}) {
    Variable parts(1031);
    for (std::size_t first = 0; first < 1031; first += part) parts.take_moments(first, std::min(part, 1031 - first));
    for (std::size_t first = 0; first < 1031; first += part) parts.move(first, std::min(part, 1031 - first));
    EXPECT_TRUE(same_bits(parts.all(), whole.all())) << part;
    EXPECT_EQ(parts.sums, whole.sums);
  }
}

// Of several replicas, one behind the other.
TEST(Lamb, RatioAddsUpSums) {
  Variable whole(100), first(100), rest(100);
  whole.take_moments(0, 100);
  first.take_moments(0, 30);
  rest.take_moments(30, 70);
  std::vector<std::int64_t> sums = first.sums;
  sums.insert(sums.end(), rest.sums.begin(), rest.sums.end());
  EXPECT_EQ(lamb_ratio(sums), lamb_ratio(whole.sums));
  EXPECT_GT(lamb_ratio(sums), 0);
}

TEST(Lamb, RatioOfNothingIsOne) {
  std::vector<std::int64_t> sums(kLambNumbers);
  EXPECT_EQ(lamb_ratio(sums), 1);
  square_sum(Floats{3}, std::span(sums).first(kSquareSumNumbers));
  EXPECT_EQ(lamb_ratio(sums), 1);
  square_sum(Floats{2}, std::span(sums).last(kSquareSumNumbers));
  EXPECT_EQ(lamb_ratio(sums), 1.5f);
}

TEST(Descent, AgreesWithTheReference) {
  constexpr std::size_t kSize = 20011;
  for (const float momentum : {0.0f, 0.9f}) {
    for (const bool nesterov : {false, true}) {
      const DescentSettings settings{.momentum = momentum, .weight_decay = 0.01f, .nesterov = nesterov};
      const Variable before(kSize);
      const bool moves = momentum > 0;
      const Floats after = same_for_all_teams([&] {
        Variable x = before;
        descent(settings, kStep, kClip,
                {.w = x.w,
                 .m = moves ? std::span<const float>(x.m) : std::span<const float>{},
                 .g = x.g,
                 .new_w = x.w,
                 .new_m = moves ? std::span<float>(x.m) : std::span<float>{}});
        return joined({x.w, x.m});
      });
      Doubles w(kSize), m = widen(before.m), bound(kSize);
      const Doubles old_m = moves ? m : Doubles{};
      reference::descent<double>(settings, kStep, kClip, widen(before.w), old_m, widen(before.g), w,
                                 moves ? std::span(m) : std::span<double>{});
      for (std::size_t i = 0; i < kSize; ++i) {
        const double terms = std::abs(before.g[i]) + std::abs(before.m[i]) + std::abs(before.w[i]);
        bound[i] = 1e-3 * 2 * rounding(8) * terms + rounding(1) * std::abs(w[i]);
      }
      expect_within(std::span(after).first(kSize), w, bound);
    }
  }
}

}  // namespace lamb_test
}  // namespace
}  // namespace phasor::kernels
