#include "tests/ops/op_case.h"

namespace phasor::test {

namespace {

constexpr std::int64_t kHeadTokens = 7, kHeadWidth = 5, kHeadEntries = 11;
// The last of two slices, and the token whose label is in it.
constexpr std::int64_t kLastSlice = 1, kVocabulary = kVocabularyBlock + kHeadEntries;
constexpr std::size_t kOfSlice = 1;

// Logits are inner products of x and weights in [-1, 1), off by this.
constexpr double kLogitError = kHeadWidth * rounding(kHeadWidth);
// The sum of a token's exponentials, whose logits differ by 2 kHeadWidth at most; relatively.
constexpr double kSumError =
    rounding(kVocabulary + 4 * (kExpRoundings + 3)) + 8 * kLogitError + 8 * kHeadWidth * kRoundoff;
// What dlogits are off by.
constexpr double kDlogitError = 2 * (kSumError + rounding(kExpRoundings + 5)) + rounding(2);

// Every third token has no weight, whatever its label.
struct Head {
  Head(OpCase& c, const Shape& tokens, bool is_slice) {
    std::vector<std::int64_t> extents(tokens.extents().begin(), tokens.extents().end());
    extents.push_back(kHeadWidth);
    x = c.add_reals(Shape(extents));
    weight = c.add_reals({is_slice ? kVocabularyBlock : kHeadEntries, kHeadWidth});
    labels = c.add_ids(tokens, is_slice ? kVocabularyBlock : kHeadEntries);
    for (std::size_t t = 0; t < kHeadTokens; t += 3) c.inputs.back().ids[t] = -100;
    if (is_slice) c.inputs.back().ids[kOfSlice] = kVocabularyBlock + 3;
    label_weights = c.add_reals(tokens, 0.1f, 1);
    for (std::size_t t = 0; t < kHeadTokens; t += 3) c.inputs.back().reals[t] = 0;
    if (!is_slice) return;
    attributes.whole = kVocabulary;
    slice.position = c.add_position(kLastSlice);
  }

  // As earlier slices, or vocabulary_loss_gradient, leave them: numbers of this size for each token.
  Value add_sums(OpCase& c, float greatest, float second, float third) const {
    std::vector<double> numbers;
    for (std::int64_t t = 0; t < kHeadTokens; ++t) {
      for (const float number : {greatest, second, third}) numbers.push_back(t % 3 == 0 ? 0 : number);
    }
    return c.add_given({kHeadTokens, 3}, numbers);
  }

  Value x, weight, labels, label_weights;
  VocabularyAttributes attributes;
  Builder::VocabularySlice slice;
};

OpCase vocabulary_sums_case(const Shape& tokens, bool is_slice) {
  OpCase c;
  c.name = is_slice ? "vocabulary_sums of a slice" : fmt::format("vocabulary_sums of {}", to_string(tokens));
  Head head(c, tokens, is_slice);
  if (is_slice) head.slice.before = head.add_sums(c, 0.75f, 12, 0);
  c.add_output(
      c.builder().vocabulary_sums(head.x, head.weight, head.labels, head.label_weights, head.attributes, head.slice),
      kSumError * kVocabulary);
  return c;
}

// From x and weight to the loss, whose gradient is the family's.
OpCase vocabulary_loss_case(bool is_slice) {
  OpCase c;
  c.name = is_slice ? "vocabulary_loss of a slice" : "vocabulary_loss";
  Head head(c, {kHeadTokens}, is_slice);
  if (is_slice) {
    head.slice.before = head.add_sums(c, 0.75f, 12, 0.5f);
    c.inputs.back().reals[3 * kOfSlice + 2] = 0;
  }
  Builder b = c.builder();
  const Value sums =
      b.vocabulary_sums(head.x, head.weight, head.labels, head.label_weights, head.attributes, head.slice);
  c.add_output(b.vocabulary_loss(sums, head.label_weights),
               kHeadTokens * (kSumError + 2 * kLogitError +
                              rounding(kHeadTokens + 4) * (std::log(double{kVocabulary}) + 2 * kHeadWidth)));
  c.differentiable = {head.x, head.weight};
  c.gradient_bound = kVocabulary * kDlogitError;
  return c;
}

OpCase vocabulary_loss_gradient_case() {
  OpCase c;
  c.name = "vocabulary_loss_gradient";
  const Head head(c, {kHeadTokens}, false);
  const Value sums = head.add_sums(c, 0.75f, 5, 0.5f);
  c.add_output(c.builder().vocabulary_loss_gradient(sums, head.label_weights, c.add_reals({1})), rounding(2));
  return c;
}

OpCase vocabulary_gradient_case(bool is_slice, bool adds) {
  OpCase c;
  c.name = fmt::format("vocabulary_gradient{}{}", adds ? "_add" : "", is_slice ? " of a slice" : "");
  Head head(c, {kHeadTokens}, is_slice);
  const Value sum = adds ? c.add_reals({is_slice ? kVocabularyBlock : kHeadEntries, kHeadWidth}) : Value{};
  const Value dsums = head.add_sums(c, 4.5f, 0.125f, 0.75f);
  if (is_slice) head.slice.before = c.add_reals({kHeadTokens, kHeadWidth});
  Builder b = c.builder();
  const auto [dweight, dx] =
      adds ? b.vocabulary_gradient_add(sum, head.x, head.weight, head.labels, dsums, head.attributes, head.slice)
           : b.vocabulary_gradient(head.x, head.weight, head.labels, dsums, head.attributes, head.slice);
  c.add_output(dweight, (kHeadTokens + 1) * (kDlogitError + rounding(kHeadTokens + 1)));
  c.add_output(dx, (kHeadEntries + 1) * (kDlogitError + rounding(kHeadEntries + 1)));
  return c;
}

OpCase vocabulary_sums_with_gradient_case() {
  OpCase c;
  c.name = "vocabulary_sums_with_gradient";
  const Head head(c, {kHeadTokens}, false);
  const Value sum = c.add_reals({kHeadEntries, kHeadWidth}), dloss = c.add_reals({1});
  const auto outputs =
      c.builder().append(Op::vocabulary_sums_with_gradient,
                         {sum, head.x, head.weight, head.labels, head.label_weights, dloss}, head.attributes);
  c.add_output(outputs[0], (kHeadTokens + 1) * (kDlogitError + rounding(kHeadTokens + 1)));
  c.add_output(outputs[1], (kHeadEntries + 1) * (kDlogitError + rounding(kHeadEntries + 1)));
  c.add_output(outputs[2], kSumError * kVocabulary);
  c.add_output(outputs[3], 2 * kSumError * kVocabulary);
  return c;
}

// Of the second token, of the first, and of a row that has no token of its own.
OpCase vocabulary_logits_case(bool is_slice) {
  OpCase c;
  c.name = is_slice ? "vocabulary_logits of a slice" : "vocabulary_logits";
  constexpr std::int64_t kChosen = 3;
  const Value x = c.add_reals({kChosen, 2, kHeadWidth});
  const Value weight = c.add_reals({is_slice ? kVocabularyBlock : kHeadEntries, kHeadWidth});
  const Value last = c.add_given_ids({kChosen}, {1, 0, -1});
  Builder::VocabularySlice slice;
  if (is_slice) slice = {.position = c.add_position(kLastSlice), .before = c.add_reals({kChosen, kVocabulary})};
  const VocabularyAttributes attributes{.whole = is_slice ? kVocabulary : 0};
  c.add_output(c.builder().vocabulary_logits(x, weight, last, attributes, slice), kLogitError);
  return c;
}

}  // namespace

std::vector<OpCase> vocabulary_cases() {
  return {vocabulary_sums_case({kHeadTokens}, false),
          vocabulary_sums_case({1, kHeadTokens}, false),
          vocabulary_sums_case({kHeadTokens}, true),
          vocabulary_loss_case(false),
          vocabulary_loss_case(true),
          vocabulary_loss_gradient_case(),
          vocabulary_gradient_case(false, false),
          vocabulary_gradient_case(true, false),
          vocabulary_gradient_case(false, true),
          vocabulary_gradient_case(true, true),
          vocabulary_sums_with_gradient_case(),
          vocabulary_logits_case(false),
          vocabulary_logits_case(true)};
}

namespace {

TEST(VocabularyOps, FastAgreesWithReference) {
  for (const OpCase& c : vocabulary_cases()) expect_fast_agrees(c);
}

TEST(VocabularyOps, GradientIsTheDerivative) {
  for (const OpCase& c : vocabulary_cases()) expect_gradient_is_the_derivative(c);
}

// Its padding apart, whose gradient is 0.
TEST(VocabularyOps, PaddingOfASliceHasNoGradient) {
  const OpCase c = vocabulary_loss_case(true);
  const std::vector<double> dweight = autodiff_gradient(c, c.differentiable[1]);
  for (std::size_t i = kHeadEntries * kHeadWidth; i < dweight.size(); ++i) EXPECT_EQ(dweight[i], 0);
  EXPECT_NE(dweight[0], 0);
}

}  // namespace
}  // namespace phasor::test
