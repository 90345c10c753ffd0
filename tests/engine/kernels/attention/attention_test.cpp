#include "engine/kernels/attention/attention.h"

#include "engine/kernels/product/product.h"
#include "engine/kernels/reference/attention.h"
#include "tests/engine/kernels/attention/attention_inputs.h"
#include "tests/support/teams.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

struct AttentionResult {
  Doubles out, log_sum_exp;
};
AttentionResult reference_attention(const AttentionCase& c, const Floats& qkv) {
  AttentionResult result{Doubles(out_size(c.shape)), Doubles(positions(c.shape) * c.shape.heads)};
  reference::attention<double>(c.shape, kPosition, widen(qkv), c.packed.segments(), result.out, result.log_sum_exp);
  return result;
}

// A probability is off by exp(two score errors), its own's and its normaliser's, and by the roundings of the sum; one
// below the smallest normal number may be 0. It is then stored as T, and so is what comes out.
template <class T>
AttentionResult bounds(const AttentionCase& c, const Floats& in, const AttentionResult& expected) {
  AttentionResult bound{Doubles(expected.out.size()), Doubles(expected.log_sum_exp.size())};
  const Doubles qkv = widen(in);
  const float scale = DropoutRate(c.shape.dropout_probability).scale;
  reference::for_queries(c.shape, c.packed.segments(), [&](const reference::AttentionHead& at, std::int64_t query) {
    const double n = static_cast<double>(at.keys(query));
    const double log_sum_exp = expected.log_sum_exp[at.log_sum_exp(query)];
    const double error = score_error<T>(at, query, in, log_sum_exp);
    double p_error = std::expm1(2 * error) + rounding(2 * n + 2 * kSoftmaxRoundings<T> + 4);
    p_error += (1 + p_error) * kStorageRoundoff<T>;
    const Doubles scores = reference::attention_scores<double>(at, query, qkv);
    bound.log_sum_exp[at.log_sum_exp(query)] =
        error + rounding(n + kSoftmaxRoundings<T> + 2) + rounding(2) * (std::abs(log_sum_exp) + std::log(n));
    for (std::int64_t key = 0; key < at.keys(query); ++key)
      for (std::int64_t d = 0; d < c.shape.head_size; ++d)
        bound.out[at.out(query, d)] +=
            (std::exp(scores[key] - log_sum_exp) * p_error + FLT_MIN) * scale * std::abs(qkv[at.v(key, d)]);
  });
  for (std::size_t i = 0; i < bound.out.size(); ++i)
    bound.out[i] += (std::abs(expected.out[i]) + bound.out[i]) * kStorageRoundoff<T>;
  return bound;
}

struct Outputs {
  Floats out, log_sum_exp;
};
template <class T>
Outputs run(const AttentionCase& c, const Floats& in) {
  const Attention<T> attention(c.shape, threads());
  EXPECT_EQ(attention.scratch_bytes(), attention_scratch_bytes<T>(c.shape, threads()));
  const Buffer<T> qkv = stored<T>(in);
  Buffer<T> out(out_size(c.shape), from_float<T>(NAN));
  Floats log_sum_exp(positions(c.shape) * c.shape.heads, NAN);
  with_scratch(attention.scratch_bytes(), [&](std::span<std::byte> scratch) {
    attention.run(kPosition, qkv, c.packed.segments(), out, log_sum_exp, scratch);
  });
  return {loaded(out), log_sum_exp};
}

template <class T>
class AttentionOf : public testing::Test {};
TYPED_TEST_SUITE(AttentionOf, StoredTypes);

TYPED_TEST(AttentionOf, TeamsDoNotShow) {
  for (const AttentionCase& c : attention_cases())
    for (const Floats& qkv : inputs<TypeParam>(c))
      same_for_all_teams([&] {
        const Outputs results = run<TypeParam>(c, qkv);
        return joined({results.out, results.log_sum_exp});
      });
}

TYPED_TEST(AttentionOf, AgreesWithTheReference) {
  for (const AttentionCase& c : attention_cases())
    for (const Floats& qkv : inputs<TypeParam>(c)) {
      const Outputs results = run<TypeParam>(c, qkv);
      const AttentionResult expected = reference_attention(c, qkv);
      const AttentionResult bound = bounds<TypeParam>(c, qkv, expected);
      expect_within(results.out, expected.out, bound.out);
      expect_within(results.log_sum_exp, expected.log_sum_exp, bound.log_sum_exp);
    }
}

// As scratch shows, where products take none: floats need more.
TEST(AttentionOfBFloat16, IsWidenedWhereItIsAskedForOrFaster) {
  AttentionShape shape{.rows = 1, .sequence = 64, .heads = 1, .head_size = 64, .products = "reference"};
  const auto bytes = [&](AttentionOperands operands) {
    shape.operands = operands;
    return std::pair(attention_scratch_bytes<bfloat16>(shape, 1), attention_gradient_scratch_bytes<bfloat16>(shape, 1));
  };
  using enum AttentionOperands;
  EXPECT_LT(bytes(as_stored).first, bytes(as_float).first);
  EXPECT_LT(bytes(as_stored).second, bytes(as_float).second);
  EXPECT_EQ(bytes(fastest), bytes(widens_bfloat16() ? as_float : as_stored));
}

TEST(AttentionOfBFloat16, IsTheSameWhenWidened) {
  same_when_widened([](const AttentionCase& c) {
    const Outputs results = run<bfloat16>(c, inputs<bfloat16>(c)[0]);
    return joined({results.out, results.log_sum_exp});
  });
}

// Whatever its neighbours are.
TYPED_TEST(AttentionOf, AloneATokenIsItsValue) {
  const AttentionCase c = attention_case(
      {.heads = 2, .head_size = 4}, {.rows = 1, .sequence = 19, .numbers = {0, 9, 0, 9, 1, 1, 10, 1, 2, 11, 8, 3}});
  const Floats qkv = inputs<TypeParam>(c)[1], out = run<TypeParam>(c, qkv).out;
  for (std::int64_t n : {1, 2})
    for (std::int64_t d = 0; d < c.shape.head_size; ++d) {
      const reference::AttentionHead at{c.shape, c.packed.segments().at(0, n), 1};
      EXPECT_EQ(out[at.out(0, d)], qkv[at.v(0, d)]);
    }
}

// The keys and values behind a query may be anything, whether they are in its block or in a later one.
TYPED_TEST(AttentionOf, CausalResultsDependOnWhatCameBefore) {
  constexpr std::int32_t kTokens = 200, kFirst = 3;
  AttentionCase c = attention_case({.heads = 2, .head_size = 8, .causal = true, .dropout_probability = 0.2f},
                                   {.rows = 1, .sequence = kFirst + kTokens, .numbers = {kFirst, kTokens, 1}});
  const Floats qkv = inputs<TypeParam>(c)[0], other = loaded(stored<TypeParam>(uniform(8, qkv.size())));
  const Outputs expected = run<TypeParam>(c, qkv);
  const reference::AttentionHead at{c.shape, c.packed.segments().at(0, 0), 0};
  for (std::int64_t query : {0, 15, 16, 94, 95, 96, 100, 198}) {
    Floats changed = qkv;
    const std::int64_t later = at.q(query + 1, 0);  // the first number of the next token
    std::copy(other.begin() + later, other.end(), changed.begin() + later);
    const Outputs results = run<TypeParam>(c, changed);
    EXPECT_TRUE(same_bits(std::span(results.out).subspan(at.out(0, 0), at.out(query + 1, 0) - at.out(0, 0)),
                          std::span(expected.out).subspan(at.out(0, 0), at.out(query + 1, 0) - at.out(0, 0))))
        << "up to " << query;
    EXPECT_EQ(results.log_sum_exp[at.log_sum_exp(query)], expected.log_sum_exp[at.log_sum_exp(query)]);
    EXPECT_NE(results.log_sum_exp[at.log_sum_exp(query + 1)], expected.log_sum_exp[at.log_sum_exp(query + 1)]);
  }
}

}  // namespace
}  // namespace phasor::kernels
