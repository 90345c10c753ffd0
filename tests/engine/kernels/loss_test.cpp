#include "engine/kernels/loss.h"

#include "engine/base/error.h"
#include "engine/kernels/reference/loss.h"
#include "tests/engine/kernels/packed_rows.h"
#include "tests/support/complex_step.h"
#include "tests/support/inputs.h"
#include "tests/support/teams.h"
#include "tests/support/tolerance.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

struct LossSizes {
  std::size_t rows;
  std::int32_t classes;
};
constexpr LossSizes kLossSizes[] = {{0, 5}, {1, 1}, {1, 2}, {5, 16}, {7, 17}, {4, 384}, {301, 97}, {9, 30522}};

// The everyday case, ties for the maximum, and logits whose exponentials overflow.
std::vector<Floats> logits_of(std::size_t count) {
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
  for (const auto& [rows, classes] : kLossSizes)
    for (const Floats& logits : logits_of(rows * classes)) {
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
  for (const auto& [rows, classes] : kLossSizes)
    for (const Floats& logits : logits_of(rows * classes)) {
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

// Of two rows of logits for each row of tokens. Every third label is ignored, whatever it is, and those of no segment.
struct SegmentCase {
  PackedRows packed;
  std::size_t rows;  // of logits
  Targets all;

  explicit SegmentCase(const PackedRows& packed_rows)
      : packed(packed_rows),
        rows(2 * packed.rows),
        all(targets(rows * packed.segments().of_a_row(), std::numeric_limits<std::int32_t>::max())) {
    for_targets([&](std::size_t target, const Segment& segment, std::size_t) {
      if (segment.tokens > 0 && all.weights[target] != 0)
        all.labels[target] %= static_cast<std::int32_t>(segment.tokens);
    });
  }

  // Calls use(target, segment, first of its logits).
  template <class Use>
  void for_targets(Use use) const {
    const auto of_a_row = static_cast<std::size_t>(packed.segments().of_a_row());
    for (std::size_t target = 0; target < rows * of_a_row; ++target) {
      const std::size_t r = target / of_a_row;
      const Segment segment = packed.segments().at(r % packed.rows, target % of_a_row);
      use(target, segment, r * packed.sequence + segment.first);
    }
  }
  // As logits_of, with NaN where there is no segment.
  std::vector<Floats> logits() const {
    std::vector<Floats> all_logits = logits_of(rows * packed.sequence);
    for (Floats& x : all_logits)
      for (std::size_t i = 0; i < x.size(); ++i)
        if (packed.is_padding(i % packed.tokens())) x[i] = NAN;
    return all_logits;
  }
};

TEST(CrossEntropy, OfSegmentsAgreesWithTheReference) {
  for (const PackedRows& packed : packed_rows()) {
    const SegmentCase c(packed);
    const auto& [labels, weights] = c.all;
    for (const Floats& logits : c.logits()) {
      const Floats loss = same_for_all_teams([&, label = std::span(labels), weight = std::span(weights)] {
        Floats result(1, NAN);
        cross_entropy(logits, packed.segments(), label, weight, result);
        return result;
      });
      Doubles expected(1), bound(1);
      reference::cross_entropy<double>(widen(logits), packed.segments(), labels, widen(weights), expected);
      bound[0] = rounding(1) * expected[0];
      c.for_targets([&, weight = std::span(weights)](std::size_t target, const Segment& segment, std::size_t first) {
        if (segment.tokens > 0)
          bound[0] += weight[target] * row_of(std::span(logits).subspan(first, segment.tokens)).sum_error;
      });
      expect_within(loss, expected, bound);
    }
  }
}

TEST(CrossEntropyGradient, OfSegmentsAgreesWithTheReference) {
  for (const PackedRows& packed : packed_rows()) {
    const SegmentCase c(packed);
    const auto& [labels, weights] = c.all;
    for (const Floats& logits : c.logits()) {
      const Floats dloss{-1.7f};
      const Floats dlogits = same_for_all_teams([&, label = std::span(labels), weight = std::span(weights)] {
        Floats result(logits.size(), NAN);
        cross_entropy_gradient(logits, packed.segments(), label, weight, dloss, result);
        return result;
      });
      Doubles expected(logits.size()), bound(logits.size());
      reference::cross_entropy_gradient<double>(widen(logits), packed.segments(), labels, widen(weights), widen(dloss),
                                                expected);
      c.for_targets([&, label = std::span(labels), weight = std::span(weights)](
                        std::size_t target, const Segment& segment, std::size_t first) {
        if (segment.tokens == 0) return;
        const Row row = row_of(std::span(logits).subspan(first, segment.tokens));
        for (std::int64_t j = 0; j < segment.tokens; ++j)
          bound[first + j] = std::abs(dloss[0] * weight[target]) *
                             (row.p[j] * row.relative[j] + (j == label[target] ? rounding(2) : 0.0));
      });
      expect_within(dlogits, expected, bound);
    }
  }
}

// A segment that fills its row is a row of classes.
TEST(CrossEntropy, OfWholeRowsIsThatOfClasses) {
  constexpr std::size_t kRows = 6, kTokens = 17;
  const Floats logits = uniform(1, kRows * kTokens, -4, 4), dloss{0.3f};
  const auto [labels, weights] = targets(kRows, kTokens);
  const PackedRows packed{.rows = 2, .sequence = kTokens, .numbers = {0, kTokens, 0, 0, kTokens, 1}};
  Floats loss(1), dlogits(logits.size()), loss_of_segments(1), dlogits_of_segments(logits.size());
  cross_entropy(logits, labels, weights, loss);
  cross_entropy_gradient(logits, labels, weights, dloss, dlogits);
  cross_entropy(logits, packed.segments(), labels, weights, loss_of_segments);
  cross_entropy_gradient(logits, packed.segments(), labels, weights, dloss, dlogits_of_segments);
  EXPECT_TRUE(same_bits(loss, loss_of_segments));
  EXPECT_TRUE(same_bits(dlogits, dlogits_of_segments));
}

TEST(CrossEntropy, RefusesLabelsOutsideOfTheirSegment) {
  const PackedRows packed{.rows = 1, .sequence = 6, .numbers = {1, 3, 0, 4, 2, 1, 0, 0, 0}};
  const Floats logits(6), one{1, 1, 1};
  Floats loss(1), dlogits(6);
  EXPECT_NO_THROW(cross_entropy(logits, packed.segments(), Ids{2, 1, 9}, one, loss));
  EXPECT_THROW(cross_entropy(logits, packed.segments(), Ids{3, 1, 0}, one, loss), InternalError);
  EXPECT_THROW(cross_entropy_gradient(logits, packed.segments(), Ids{0, -1, 0}, one, loss, dlogits), InternalError);
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

TEST(CrossEntropyGradient, OfSegmentsIsTheDerivative) {
  const SegmentCase c({.rows = 1, .sequence = 9, .numbers = {0, 4, 0, 5, 3, 1, 0, 0, 0}});
  const Segments segments = c.packed.segments();
  const Doubles logits = widen(uniform(1, c.rows * c.packed.sequence, -3, 3)), dloss{0.8};
  const std::vector<Complex> weight = widen<Complex>(c.all.weights);
  const Doubles expected = complex_step_gradient(
      [&](const std::vector<Complex>& in) {
        std::vector<Complex> loss(1);
        reference::cross_entropy<Complex>(in, segments, c.all.labels, weight, loss);
        return loss;
      },
      logits, dloss);
  Doubles dlogits(logits.size());
  reference::cross_entropy_gradient<double>(logits, segments, c.all.labels, widen(c.all.weights), dloss, dlogits);
  for (std::size_t i = 0; i < logits.size(); ++i) EXPECT_NEAR(dlogits[i], expected[i], 8 * 4 * kDoubleRoundoff);
}

}  // namespace
}  // namespace phasor::kernels
