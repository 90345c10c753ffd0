#include "engine/kernels/vocabulary/vocabulary.h"

#include "engine/base/error.h"
#include "engine/kernels/reference/vocabulary.h"
#include "tests/engine/kernels/vocabulary_case.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

template <class T>
struct Vocabulary : ::testing::Test {};
TYPED_TEST_SUITE(Vocabulary, StoredTypes);

reference::VocabularySlice whole_of(const VocabularySizes& s) {
  return {.tokens = s.tokens, .width = s.width, .used = s.whole, .first = 0};
}

// How far rounding can move a token's logits, whose difference to the greatest is at most `range`.
struct TokenErrors {
  double logit = 0, range = 0;
};
template <class T>
std::vector<TokenErrors> errors_of(const VocabularyCase<T>& c) {
  const auto s = whole_of(c.sizes);
  const Doubles size = reference::vocabulary_logits<double>(s, widen(absolute(c.x)), widen(absolute(c.weight)));
  std::vector<TokenErrors> errors(s.tokens);
  for (std::int64_t t = 0; t < s.tokens; ++t) {
    const double largest = *std::max_element(&size[t * s.used], &size[t * s.used] + s.used);
    errors[t] = {.logit = rounding(static_cast<double>(s.width)) * largest, .range = 2 * largest};
  }
  return errors;
}

// Of a token's sum, relatively: every block's exponentials are off by their arguments' errors and their own, and are
// scaled to the greatest logit again as often as a block joins.
double sum_error(const TokenErrors& token, const VocabularySizes& s) {
  const auto entries = static_cast<double>(s.whole), blocks = entries / static_cast<double>(s.block) + 1;
  return std::expm1(2 * token.logit + kRoundoff * token.range * (blocks + 1)) +
         rounding(entries + (blocks + 1) * (kExpRoundings + 3));
}

TYPED_TEST(Vocabulary, SumsAndLossAgreeWithTheReference) {
  for (const VocabularySizes& sizes : kVocabularySizes)
    for (float largest : {4.0f, 20000.0f}) {
      const VocabularyCase<TypeParam> c(sizes, largest);
      const VocabularyResults actual = run_vocabulary<TypeParam>(c);
      const std::vector<TokenErrors> errors = errors_of(c);
      Doubles sums(3 * sizes.tokens), loss(1), sums_bound(sums.size()), loss_bound(1);
      reference::vocabulary_sums<double>(whole_of(sizes), widen(c.x), widen(c.weight), c.labels, widen(c.label_weights),
                                         {}, sums);
      reference::vocabulary_loss<double>(sums, widen(c.label_weights), loss);
      loss_bound[0] = rounding(1) * std::abs(loss[0]);
      for (std::int64_t t = 0; t < sizes.tokens; ++t) {
        const double of_sum = sum_error(errors[t], sizes);
        sums_bound[3 * t] = sums_bound[3 * t + 2] = errors[t].logit;
        sums_bound[3 * t + 1] = sums[3 * t + 1] * of_sum;
        loss_bound[0] += c.label_weights[t] * (2 * errors[t].logit + of_sum);
      }
      expect_within(actual.sums, sums, sums_bound);
      expect_within(actual.loss, loss, loss_bound);
    }
}

TYPED_TEST(Vocabulary, GradientsAgreeWithTheReference) {
  for (const VocabularySizes& sizes : kVocabularySizes)
    for (float largest : {4.0f, 20000.0f}) {
      const VocabularyCase<TypeParam> c(sizes, largest);
      const VocabularyResults actual = run_vocabulary<TypeParam>(c);
      const reference::VocabularySlice s = whole_of(sizes);
      Doubles dsums(3 * s.tokens), dweight(c.weight.size()), dx(c.x.size());
      reference::vocabulary_loss_gradient<double>(widen(actual.sums), widen(c.label_weights), Doubles{c.dloss}, dsums);
      Doubles dsums_bound = dsums;
      for (double& bound : dsums_bound) bound = std::abs(bound) * rounding(2);
      expect_within(actual.dsums, dsums, dsums_bound);

      const Doubles message = widen(actual.dsums);
      reference::vocabulary_gradient<double>(s, widen(c.x), widen(c.weight), c.labels, message, dweight, dx);
      const Doubles logits = reference::vocabulary_logits<double>(s, widen(c.x), widen(c.weight));
      const std::vector<TokenErrors> errors = errors_of(c);
      Doubles off(s.tokens * s.used), size(off.size());  // of dlogits
      for (std::int64_t t = 0; t < s.tokens; ++t) {
        if (c.label_weights[t] == 0) continue;
        const double relative = std::expm1(errors[t].logit + kRoundoff * errors[t].range) + rounding(kExpRoundings + 2);
        for (std::int64_t j = 0; j < s.used; ++j) {
          const std::size_t i = t * s.used + j;
          const double p = std::exp(logits[i] - message[3 * t]) * message[3 * t + 1];
          const double one_hot = j == c.labels[t] ? message[3 * t + 2] : 0;
          off[i] = std::abs(p) * relative + std::abs(one_hot) * rounding(1);
          size[i] = std::abs(p - one_hot) + off[i];
          if (std::is_same_v<TypeParam, bfloat16>) off[i] += size[i] * 0x1p-8;
          size[i] += off[i];
        }
      }
      // What dlogits are off by, and what their sums are.
      const auto bounds = [&](const reference::MatmulShape& shape, const Doubles& other, auto before) {
        Doubles errors_in(shape.m * shape.n), sizes_of(errors_in.size());
        reference::matmul<double>(shape, off, other, errors_in);
        reference::matmul<double>(shape, size, other, sizes_of);
        for (std::size_t i = 0; i < errors_in.size(); ++i)
          errors_in[i] += rounding(static_cast<double>(shape.k) + 1) * (sizes_of[i] + std::abs(before(i)));
        return errors_in;
      };
      const Doubles of_dweight = bounds({.m = s.used, .n = s.width, .k = s.tokens, .transpose_a = true},
                                        widen(absolute(c.x)), [&](std::size_t i) { return c.dweight_before[i]; });
      Doubles of_dx =
          bounds({.m = s.tokens, .n = s.width, .k = s.used}, widen(absolute(c.weight)), [](std::size_t) { return 0; });
      allow_storing<TypeParam>(dx, of_dx);
      for (std::size_t i = 0; i < dweight.size(); ++i) dweight[i] += c.dweight_before[i];
      expect_within(actual.dweight, dweight, of_dweight);
      expect_within(actual.dx, dx, of_dx);
    }
}

// x in float, which a table in bfloat16 has, too: dx is then not rounded on its way from slice to slice.
TYPED_TEST(Vocabulary, SlicesDoNotShow) {
  for (const VocabularySizes& sizes : kVocabularySizes) {
    const VocabularyCase<TypeParam> c(sizes);
    const VocabularyResults whole = run_vocabulary<TypeParam, float>(c);
    for (std::int64_t blocks : {1, 2, 3, 5, 100}) {
      SCOPED_TRACE(testing::Message() << "slices of " << blocks << " blocks, of " << sizes.whole << " entries");
      const VocabularyResults sliced = run_vocabulary<TypeParam, float>(c, blocks);
      EXPECT_TRUE(same_bits(sliced.sums, whole.sums));
      EXPECT_TRUE(same_bits(sliced.loss, whole.loss));
      EXPECT_TRUE(same_bits(sliced.dx, whole.dx));
      EXPECT_TRUE(same_bits(sliced.dweight, whole.dweight));
    }
  }
}

TYPED_TEST(Vocabulary, TeamsDoNotShow) {
  for (const VocabularySizes& sizes : kVocabularySizes) {
    const VocabularyCase<TypeParam> c(sizes);
    const Floats alone = same_for_all_teams([&] { return run_vocabulary<TypeParam>(c).all(); });
    for (int workers : {5, 20}) EXPECT_TRUE(same_bits(run_vocabulary<TypeParam>(c, 0, workers).all(), alone));
  }
}

TEST(VocabularySumsWithGradient, HasTheBitsOfOneAfterTheOther) {
  for (const VocabularySizes& sizes : kVocabularySizes) {
    const VocabularyCase<float> c(sizes);
    const VocabularyResults apart = run_vocabulary<float>(c);
    const Floats expected = joined({apart.sums, apart.dsums, apart.dweight, apart.dx});
    for (const int workers : {3, 5, 20}) {
      const Floats in_one = same_for_all_teams([&] { return run_vocabulary_in_one(c, workers); });
      EXPECT_TRUE(same_bits(in_one, expected)) << sizes.tokens << " tokens";
    }
  }
}

TEST(VocabularySumsWithGradient, RefusesSlicesAndBfloat16) {
  const VocabularyShape whole{.tokens = 4, .width = 3, .entries = 16, .whole = 16, .block = 8, .products = {}};
  VocabularyShape slice = whole, rounded = whole;
  slice.whole = 30;
  rounded.weight = DType::bf16;
  const VocabularySumsWithGradient served(whole, 1);
  EXPECT_THROW(VocabularySumsWithGradient(slice, 1), InternalError);
  EXPECT_THROW(VocabularySumsWithGradient(rounded, 1), InternalError);
}

TEST(VocabularyInBfloat16, TakesXInEitherType) {
  for (const VocabularySizes& sizes : kVocabularySizes) {
    const VocabularyCase<bfloat16> c(sizes);
    const VocabularyResults narrow = run_vocabulary<bfloat16>(c), wide = run_vocabulary<bfloat16, float>(c);
    EXPECT_TRUE(same_bits(narrow.sums, wide.sums));
    EXPECT_TRUE(same_bits(narrow.dweight, wide.dweight));
    EXPECT_TRUE(same_bits(narrow.dx, representable<bfloat16>(wide.dx)));
  }
}

TYPED_TEST(Vocabulary, TokensWithoutWeightCountNothing) {
  VocabularyCase<TypeParam> c({300, 8, 100, 16});
  const VocabularyResults before = run_vocabulary<TypeParam>(c);
  for (std::int64_t t = 0; t < 300; t += 3) {
    for (int i = 0; i < 3; ++i) EXPECT_EQ(before.sums[3 * t + i], 0);
    for (std::int64_t k = 0; k < 8; ++k) {
      EXPECT_EQ(before.dx[t * 8 + k], 0);
      c.x[t * 8 + k] = 1e4f;  // whose logits' exponentials overflow
    }
    c.labels[t] = 7;
  }
  EXPECT_TRUE(same_bits(run_vocabulary<TypeParam>(c).all(), before.all()));
}

TEST(VocabularySums, RefusesLabelsThatCount) {
  VocabularyCase<float> c({4, 3, 10, 4});
  for (std::int32_t label : {-1, 10}) {
    c.labels[1] = label;
    EXPECT_THROW(run_vocabulary<float>(c), InternalError);
  }
}

TEST(VocabularyLoss, OfNothingIsNothing) {
  const VocabularyResults results = run_vocabulary<float>(VocabularyCase<float>({0, 5, 7, 4}));
  EXPECT_EQ(results.loss[0], 0);
}

}  // namespace
}  // namespace phasor::kernels
