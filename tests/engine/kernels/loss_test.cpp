#include "engine/kernels/loss.h"

#include "engine/base/error.h"
#include "engine/kernels/reference/loss.h"
#include "tests/support/complex_step.h"
#include "tests/support/inputs.h"
#include "tests/support/teams.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

struct Sizes {
  std::size_t rows;
  std::int32_t classes;
};
constexpr Sizes kSizes[] = {{0, 5}, {1, 1}, {1, 2}, {5, 16}, {7, 17}, {4, 384}, {301, 97}, {9, 30522}};

// The everyday case, ties for the maximum, and logits whose exponentials overflow.
std::vector<Floats> inputs(std::size_t count) {
  return {uniform(1, count, -4, 4), tied(2, count), uniform(3, count, -2000, 2000)};
}

// Every third row is ignored, whatever its label.
struct Targets {
  Ids labels;
  Floats weights;
};
Targets targets(std::size_t rows, std::int32_t classes) {
  Targets t{random_ids(4, rows, classes), uniform(5, rows, 0, 1)};
  for (std::size_t r = 0; r < rows; r += 3) t.labels[r] = -100, t.weights[r] = 0;
  return t;
}

// A row's softmax in double, and how far rounding can move it, relatively: exp(x) carries its argument's rounding
// error u |x|, exp's own, and shares the sum's.
struct Row {
  Doubles p, relative;
  double highest, log_sum;
  double sum_error;  // relative, of the sum of exponentials
};
Row row_of(std::span<const float> logits) {
  Row row{Doubles(logits.size()), Doubles(logits.size()), *std::max_element(logits.begin(), logits.end()), 0, 0};
  double sum = 0;
  for (std::size_t j = 0; j < logits.size(); ++j) sum += row.p[j] = std::exp(logits[j] - row.highest);
  row.log_sum = std::log(sum);
  row.sum_error = rounding(static_cast<double>(logits.size()) + kExpRoundings);
  for (std::size_t j = 0; j < logits.size(); ++j) {
    row.p[j] /= sum;
    row.sum_error += row.p[j] * kRoundoff * (row.highest - logits[j]);
  }
  for (std::size_t j = 0; j < logits.size(); ++j)
    row.relative[j] = row.sum_error + rounding(kExpRoundings + 3) + kRoundoff * (row.highest - logits[j]);
  return row;
}

TEST(CrossEntropy, AgreesWithTheReference) {
  for (const auto& [rows, classes] : kSizes)
    for (const Floats& logits : inputs(rows * classes)) {
      const auto [labels, weights] = targets(rows, classes);
      const Floats loss = same_for_all_teams([&, label = std::span(labels), weight = std::span(weights)] {
        Floats result(1, NAN);
        cross_entropy(logits, label, weight, result);
        return result;
      });
      Doubles expected(1), bound(1);
      reference::cross_entropy<double>(widen(logits), labels, widen(weights), expected);
      bound[0] = rounding(1) * expected[0];
      for (std::size_t r = 0; r < rows; ++r)
        bound[0] += weights[r] * row_of(std::span(logits).subspan(r * classes, classes)).sum_error;
      expect_within(loss, expected, bound);
    }
}

TEST(CrossEntropyGradient, AgreesWithTheReference) {
  for (const auto& [rows, classes] : kSizes)
    for (const Floats& logits : inputs(rows * classes)) {
      const auto [labels, weights] = targets(rows, classes);
      const Floats dloss{-1.7f};
      const Floats dlogits = same_for_all_teams([&, label = std::span(labels), weight = std::span(weights)] {
        Floats result(logits.size(), NAN);
        cross_entropy_gradient(logits, label, weight, dloss, result);
        return result;
      });
      Doubles expected(logits.size()), bound(logits.size());
      reference::cross_entropy_gradient<double>(widen(logits), labels, widen(weights), widen(dloss), expected);
      for (std::size_t r = 0; r < rows; ++r) {
        const Row row = row_of(std::span(logits).subspan(r * classes, classes));
        for (std::int32_t j = 0; j < classes; ++j)
          bound[r * classes + j] =
              std::abs(dloss[0] * weights[r]) * (row.p[j] * row.relative[j] + (j == labels[r] ? rounding(2) : 0.0));
      }
      expect_within(dlogits, expected, bound);
    }
}

TEST(CrossEntropy, RefusesLabelsThatCount) {
  const Floats logits(6), one{1, 1};
  Floats loss(1), dlogits(6);
  EXPECT_THROW(cross_entropy(logits, Ids{0, 3}, one, loss), InternalError);
  EXPECT_THROW(cross_entropy_gradient(logits, Ids{-1, 0}, one, loss, dlogits), InternalError);
}

TEST(CrossEntropyGradient, IsTheDerivative) {
  constexpr std::size_t kRows = 4, kClasses = 6;
  const Doubles logits = widen(uniform(1, kRows * kClasses, -3, 3)), dloss{0.8};
  const auto [labels, weights] = targets(kRows, kClasses);
  const Ids label = labels;
  const std::vector<Complex> weight = widen<Complex>(weights);
  const Doubles expected = complex_step_gradient(
      [&](const std::vector<Complex>& in) {
        std::vector<Complex> loss(1);
        reference::cross_entropy<Complex>(in, label, weight, loss);
        return loss;
      },
      logits, dloss);
  Doubles dlogits(logits.size());
  reference::cross_entropy_gradient<double>(logits, label, widen(weights), dloss, dlogits);
  for (std::size_t i = 0; i < logits.size(); ++i) EXPECT_NEAR(dlogits[i], expected[i], 8 * kClasses * kDoubleRoundoff);
}

}  // namespace
}  // namespace phasor::kernels
