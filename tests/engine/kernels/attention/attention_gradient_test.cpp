#include "engine/kernels/attention/attention.h"
#include "engine/kernels/reference/attention.h"
#include "tests/engine/kernels/attention/attention_inputs.h"
#include "tests/support/complex_step.h"
#include "tests/support/teams.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

struct TermSum {
  double value = 0, size = 0;  // of the terms, and of their absolute values
  void add(double a, double b) {
    value += a * b;
    size += std::abs(a * b);
  }
};

// p is off as in attention, but for its normaliser, which is given; what it is multiplied by is off relative to the
// sizes of its own terms; then come the sums over keys (dq) or queries (dk, dv). P and ds are stored as T on the way,
// and so is what comes out.
template <class T>
Doubles bounds(const AttentionCase& c, const Floats& in, const Floats& out, const Floats& log_sum_exp,
               const Floats& dout, const Doubles& expected) {
  const AttentionShape& s = c.shape;
  Doubles bound(in.size());
  const RandomSite site(kPosition, s.site);
  const DropoutRate rate(s.dropout_probability);
  const Doubles qkv = widen(in);
  const double width = static_cast<double>(s.head_size);
  const auto size = [](double a, double b) { return std::abs(a * b); };
  reference::for_queries(s, c.packed.segments(), [&](const reference::AttentionHead& at, std::int64_t query) {
    const double n = static_cast<double>(at.keys(query));
    const float normaliser = log_sum_exp[at.log_sum_exp(query)];
    const double p_error =
        std::expm1(score_error<T>(at, query, in, normaliser)) + rounding(n + width + kSoftmaxRoundings<T> + 8);
    const Doubles scores = reference::attention_scores<double>(at, query, qkv);
    TermSum inner;  // of dout * out
    for (std::int64_t d = 0; d < s.head_size; ++d) inner.add(dout[at.out(query, d)], out[at.out(query, d)]);
    for (std::int64_t key = 0; key < at.keys(query); ++key) {
      const double p = std::exp(scores[key] - normaliser);
      const double p_bound = p * p_error + FLT_MIN;
      const double factor = reference::dropout_factor<double>(site, rate, at.segment.sample, at.dropped(query, key));
      TermSum dp;
      for (std::int64_t d = 0; d < s.head_size; ++d) dp.add(dout[at.out(query, d)], qkv[at.v(key, d)] * factor);
      const double scale = reference::score_scale<double>(s);
      double ds_bound = p_bound * (dp.size + inner.size) * scale + FLT_MIN;
      ds_bound += (p * std::abs(dp.value - inner.value) * scale + ds_bound) * kStorageRoundoff<T>;
      const double dropped_bound = p_bound * factor + (p + p_bound) * factor * kStorageRoundoff<T>;
      for (std::int64_t d = 0; d < s.head_size; ++d) {
        bound[at.q(query, d)] += size(ds_bound, qkv[at.k(key, d)]);
        bound[at.k(key, d)] += size(ds_bound, qkv[at.q(query, d)]);
        bound[at.v(key, d)] += size(dropped_bound, dout[at.out(query, d)]);
      }
    }
  });
  for (std::size_t i = 0; i < bound.size(); ++i) bound[i] += (std::abs(expected[i]) + bound[i]) * kStorageRoundoff<T>;
  return bound;
}

template <class T>
Floats run(const AttentionCase& c, const Floats& qkv, const Floats& out, const Floats& log_sum_exp,
           const Floats& dout) {
  const AttentionGradient<T> gradient(c.shape, threads());
  EXPECT_EQ(gradient.scratch_bytes(), attention_gradient_scratch_bytes<T>(c.shape, threads()));
  Buffer<T> dqkv(qkv.size(), from_float<T>(NAN));
  with_scratch(gradient.scratch_bytes(), [&](std::span<std::byte> scratch) {
    gradient.run(kPosition, stored<T>(qkv), c.packed.segments(), stored<T>(out), log_sum_exp, stored<T>(dout), dqkv,
                 scratch);
  });
  return loaded(dqkv);
}

template <class T>
class AttentionGradientOf : public testing::Test {};
TYPED_TEST_SUITE(AttentionGradientOf, StoredTypes);

// Of a forward pass that is any numbers, which teams share all the same.
TYPED_TEST(AttentionGradientOf, TeamsDoNotShow) {
  using T = TypeParam;
  for (const AttentionCase& c : attention_cases()) {
    const Floats dout = c.packed.spoiled(loaded(stored<T>(uniform(6, out_size(c.shape)))));
    const Floats out = c.packed.spoiled(loaded(stored<T>(uniform(7, dout.size()))));
    const Floats log_sum_exp = uniform(8, positions(c.shape) * c.shape.heads, 5, 6);
    for (const Floats& qkv : inputs<T>(c)) same_for_all_teams([&] { return run<T>(c, qkv, out, log_sum_exp, dout); });
  }
}

TEST(AttentionGradientOfBFloat16, IsTheSameWhenWidened) {
  same_when_widened([](const AttentionCase& c) {
    const auto spoiled = [&](int seed) {
      return c.packed.spoiled(loaded(stored<bfloat16>(uniform(seed, out_size(c.shape)))));
    };
    const Floats log_sum_exp = uniform(8, positions(c.shape) * c.shape.heads, 5, 6);
    return run<bfloat16>(c, inputs<bfloat16>(c)[0], spoiled(7), log_sum_exp, spoiled(6));
  });
}

TYPED_TEST(AttentionGradientOf, AgreesWithTheReference) {
  using T = TypeParam;
  for (const AttentionCase& c : attention_cases())
    for (const Floats& qkv : inputs<T>(c)) {
      const Segments segments = c.packed.segments();
      Doubles wide_out(out_size(c.shape)), wide_sums(positions(c.shape) * c.shape.heads);
      reference::attention<double>(c.shape, kPosition, widen(qkv), segments, wide_out, wide_sums);
      const Floats out = c.packed.spoiled(loaded(stored<T>(Floats(wide_out.begin(), wide_out.end()))));
      const Floats log_sum_exp(wide_sums.begin(), wide_sums.end());
      const Floats dout = c.packed.spoiled(loaded(stored<T>(uniform(6, out.size()))));
      const Floats dqkv = run<T>(c, qkv, out, log_sum_exp, dout);
      Doubles expected(qkv.size());
      reference::attention_gradient<double>(c.shape, kPosition, widen(qkv), segments, widen(out), widen(log_sum_exp),
                                            widen(dout), expected);
      expect_within(dqkv, expected, bounds<T>(c, qkv, out, log_sum_exp, dout, expected));
    }
}

class AttentionGradientOfKind : public testing::TestWithParam<bool> {};

TEST_P(AttentionGradientOfKind, IsTheDerivativeDropoutIncluded) {
  const auto [shape, packed] =
      attention_case({.heads = 2, .head_size = 3, .causal = GetParam(), .dropout_probability = 0.3f},
                     {.rows = 2, .sequence = 5, .numbers = {0, 2, 1, 3, 2, 0, /* row 1 */ 0, 5, 2, 0, 0, 0}});
  const Segments segments = packed.segments();
  const Floats dout = uniform(3, out_size(shape));
  const Doubles qkv = widen(uniform(1, 3 * out_size(shape), -2, 2));
  const Doubles expected = complex_step_gradient(
      [&, s = shape](const std::vector<Complex>& in) {
        std::vector<Complex> out(out_size(s)), log_sum_exp(positions(s) * s.heads);
        reference::attention<Complex>(s, kPosition, in, segments, out, log_sum_exp);
        return out;
      },
      qkv, widen(dout));
  Doubles out(out_size(shape)), log_sum_exp(positions(shape) * shape.heads), dqkv(qkv.size());
  reference::attention<double>(shape, kPosition, qkv, segments, out, log_sum_exp);
  reference::attention_gradient<double>(shape, kPosition, qkv, segments, out, log_sum_exp, widen(dout), dqkv);
  // A hundred roundings of ds * q, summed over five queries: |dp| and |inner| are at most 3 * 2 / 0.7, |q| at most 2.
  const double bound = 100 * kDoubleRoundoff * 5 * (2 * 3 * 2 / 0.7) * 2;
  for (std::size_t i = 0; i < qkv.size(); ++i) EXPECT_NEAR(dqkv[i], expected[i], bound);
}

INSTANTIATE_TEST_SUITE_P(Kinds, AttentionGradientOfKind, testing::Bool(),
                         [](const auto& kind) { return kind.param ? "causal" : "full"; });

}  // namespace
}  // namespace phasor::kernels
