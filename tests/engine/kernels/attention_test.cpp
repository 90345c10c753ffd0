#include "engine/kernels/attention.h"

#include "engine/kernels/reference/attention.h"
#include "tests/engine/kernels/attention_inputs.h"
#include "tests/support/teams.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

struct Result {
  Doubles out, log_sum_exp;
};
Result reference_attention(const AttentionShape& s, const Inputs& in) {
  Result result{Doubles(out_size(s)), Doubles(positions(s) * s.heads)};
  reference::attention<double>(s, kPosition, widen(in.qkv), widen(in.mask), result.out, result.log_sum_exp);
  return result;
}

// A probability is off by exp(two score errors), its own's and its normaliser's, and by the roundings of the sum; one
// below the smallest normal number may be 0. It is then stored as T, and so is what comes out.
template <class T>
Result bounds(const AttentionShape& s, const Inputs& in, const Result& expected) {
  Result bound{Doubles(expected.out.size()), expected.log_sum_exp};
  const Doubles qkv = widen(in.qkv), mask = widen(in.mask);
  const float scale = DropoutRate(s.dropout_probability).scale;
  const double n = static_cast<double>(s.sequence);
  for (std::int64_t sample = 0; sample < s.batch; ++sample)
    for (std::int64_t head = 0; head < s.heads; ++head)
      for (std::int64_t query = 0; query < s.sequence; ++query) {
        const reference::AttentionHead at{s, sample, head};
        const double log_sum_exp = expected.log_sum_exp[at.log_sum_exp(query)];
        const double error = score_error(at, query, in, log_sum_exp);
        double p_error = std::expm1(2 * error) + rounding(2 * n + 2 * kExpRoundings + 4);
        p_error += (1 + p_error) * kStorageRoundoff<T>;
        const Doubles scores = reference::attention_scores<double>(at, query, qkv, mask);
        bound.log_sum_exp[at.log_sum_exp(query)] =
            error + rounding(n + kExpRoundings + 2) + rounding(2) * (std::abs(log_sum_exp) + std::log(n));
        for (std::int64_t key = 0; key < s.sequence; ++key)
          for (std::int64_t d = 0; d < s.head_size; ++d)
            bound.out[at.out(query, d)] +=
                (std::exp(scores[key] - log_sum_exp) * p_error + FLT_MIN) * scale * std::abs(qkv[at.v(key, d)]);
      }
  for (std::size_t i = 0; i < bound.out.size(); ++i)
    bound.out[i] += (std::abs(expected.out[i]) + bound.out[i]) * kStorageRoundoff<T>;
  return bound;
}

struct Outputs {
  Floats out, log_sum_exp;
};
template <class T>
Outputs run(const AttentionShape& shape, const Inputs& in) {
  const Attention<T> attention(shape, threads());
  EXPECT_EQ(attention.scratch_bytes(), attention_scratch_bytes<T>(shape, threads()));
  const Buffer<T> qkv = stored<T>(in.qkv);
  Buffer<T> out(out_size(shape), from_float<T>(NAN));
  Floats log_sum_exp(positions(shape) * shape.heads, NAN);
  with_scratch(attention.scratch_bytes(), [&](std::span<std::byte> scratch) {
    attention.run(kPosition, qkv, in.mask, out, log_sum_exp, scratch);
  });
  return {loaded(out), log_sum_exp};
}

template <class T>
class AttentionOf : public testing::Test {};
TYPED_TEST_SUITE(AttentionOf, ElementTypes);

TYPED_TEST(AttentionOf, AgreesWithTheReference) {
  using T = TypeParam;
  for (const AttentionShape& shape : kShapes)
    for (const Inputs& in : inputs<T>(shape)) {
      const Floats all = same_for_all_teams([&] {
        const Outputs results = run<T>(shape, in);
        return joined({results.out, results.log_sum_exp});
      });
      const Result expected = reference_attention(shape, in);
      const Result bound = bounds<T>(shape, in, expected);
      expect_within(std::span(all).first(expected.out.size()), expected.out, bound.out);
      expect_within(std::span(all).last(expected.log_sum_exp.size()), expected.log_sum_exp, bound.log_sum_exp);
    }
}

// A query's error does not depend on how large the scores of masked keys are.
TYPED_TEST(AttentionOf, OneKeyLeftIsItsValue) {
  const AttentionShape shape{.batch = 2, .sequence = 19, .heads = 2, .head_size = 4};
  const Inputs in = inputs<TypeParam>(shape)[3];
  const Floats out = run<TypeParam>(shape, in).out;
  for (std::int64_t sample = 0; sample < shape.batch; ++sample)
    for (std::int64_t query = 0; query < shape.sequence; ++query)
      for (std::int64_t d = 0; d < shape.head_size; ++d) {
        const reference::AttentionHead at{shape, sample, 1};
        EXPECT_EQ(out[at.out(query, d)], in.qkv[at.v(shape.sequence / 2, d)]);
      }
}

}  // namespace
}  // namespace phasor::kernels
