#include "engine/kernels/optimizers/adafactor.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/kernels/simd/pieces.h"

namespace phasor::kernels {

namespace {

constexpr double kAdafactorEps = 1e-30;      // of the paper: keeps moments from zero
constexpr std::int64_t kUpdateRun = 1024;    // of u, that lie on the stack
constexpr std::int64_t kColumnsOfSum = 256;  // that are summed at a time

double as_double(std::int64_t bits) { return std::bit_cast<double>(bits); }
std::int64_t as_bits(double value) { return std::bit_cast<std::int64_t>(value); }

// In eight sums, of every eighth element each, which are put together in their order.
double row_sum(const float* g, std::int64_t columns, float scale) {
  constexpr std::int64_t kLanes = 8;
  std::array<double, kLanes> lanes{};
  std::int64_t j = 0;
  for (; j + kLanes <= columns; j += kLanes) {
    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
      const double x = g[j + lane] * scale;
      lanes[lane] += x * x;
    }
  }
  for (std::int64_t lane = 0; j < columns; ++j, ++lane) {
    const double x = g[j] * scale;
    lanes[lane] += x * x;
  }
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

// One expression for both passes: the bits that were summed are the bits of the step.
void update_run(float scale, float row_factor, std::int64_t count, const float* g, const float* column_factors,
                float* u) {
#pragma GCC ivdep
  for (std::int64_t k = 0; k < count; ++k) u[k] = g[k] * scale * row_factor * column_factors[k];
}

// Calls visit(place of the first element, u of a run) for the rows [begin, end): a run is a part of one or several
// rows.
template <class Visit>
void for_each_run(float scale, std::span<const float> g, std::span<const float> row_factors,
                  std::span<const float> column_factors, std::int64_t begin, std::int64_t end, Visit visit) {
  const auto columns = static_cast<std::int64_t>(column_factors.size());
  std::array<float, kUpdateRun> u;
  const std::int64_t rows_of_run = kUpdateRun / columns;
  for (std::int64_t i = begin; rows_of_run > 0 && i < end; i += rows_of_run) {
    const std::int64_t count = std::min(rows_of_run, end - i);
    for (std::int64_t r = 0; r < count; ++r) {
      update_run(scale, row_factors[i + r], columns, g.data() + (i + r) * columns, column_factors.data(),
                 u.data() + r * columns);
    }
    visit(i * columns, std::span<const float>(u).first(static_cast<std::size_t>(count * columns)));
  }
  for (std::int64_t i = begin; rows_of_run == 0 && i < end; ++i) {
    for (std::int64_t j = 0; j < columns; j += kUpdateRun) {
      const std::int64_t run = std::min(kUpdateRun, columns - j), first = i * columns + j;
      update_run(scale, row_factors[i], run, g.data() + first, column_factors.data() + j, u.data());
      visit(first, std::span<const float>(u).first(static_cast<std::size_t>(run)));
    }
  }
}

}  // namespace

void adafactor_sums(const AdamStep& step, float clip, std::span<const float> g, std::span<std::int64_t> row_sums,
                    std::span<std::int64_t> column_sums) {
  const float scale = step.gradient_scale * clip;
  const auto rows = static_cast<std::int64_t>(row_sums.size()), columns = static_cast<std::int64_t>(column_sums.size());
  parallel_for_ranges(rows, row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) row_sums[i] = as_bits(row_sum(g.data() + i * columns, columns, scale));
  });
  parallel_for_ranges(columns, std::max<std::int64_t>(16, row_grain(rows)), [&](std::int64_t begin, std::int64_t end) {
    std::array<double, kColumnsOfSum> sums;
    for (std::int64_t first = begin; first < end; first += kColumnsOfSum) {
      const std::int64_t count = std::min(kColumnsOfSum, end - first);
      for (std::int64_t k = 0; k < count; ++k) sums[k] = as_double(column_sums[first + k]);
      for (std::int64_t i = 0; i < rows; ++i) {
        const float* const row = g.data() + i * columns + first;
        for (std::int64_t k = 0; k < count; ++k) {
          const double x = row[k] * scale;
          sums[k] += x * x;
        }
      }
      for (std::int64_t k = 0; k < count; ++k) column_sums[first + k] = as_bits(sums[k]);
    }
  });
}

void adafactor_factors(const AdamStep& step, std::int64_t rows, std::span<const float> moments,
                       std::span<const std::int64_t> sums, std::span<float> new_moments, std::span<float> factors) {
  const auto numbers = static_cast<std::int64_t>(moments.size()), columns = numbers - rows;
  const double beta = step.correction2;
  for (std::int64_t n = 0; n < numbers; ++n) {
    const auto summed = static_cast<double>(n < rows ? columns : rows);
    const double mean = as_double(sums[n]) / summed + kAdafactorEps;
    new_moments[n] = static_cast<float>(beta * moments[n] + (1 - beta) * mean);
  }
  double mean = 0;
  for (std::int64_t i = 0; i < rows; ++i) mean += new_moments[i];
  mean /= static_cast<double>(rows);
  for (std::int64_t n = 0; n < numbers; ++n) {
    factors[n] = static_cast<float>(1 / std::sqrt(n < rows ? new_moments[n] / mean : double{new_moments[n]}));
  }
}

void adafactor_squares(const AdamStep& step, float clip, std::span<const float> g, std::span<const float> row_factors,
                       std::span<const float> column_factors, std::span<std::int64_t> squares) {
  constexpr std::int64_t kMostPieces = 64;
  const float scale = step.gradient_scale * clip;
  const auto rows = static_cast<std::int64_t>(row_factors.size());
  const std::int64_t grain = row_grain(static_cast<std::int64_t>(column_factors.size()));
  const std::int64_t length = std::max(grain, (rows + kMostPieces - 1) / kMostPieces);
  std::array<std::array<std::int64_t, kSquareSumNumbers>, kMostPieces> parts{};
  parallel_for_ranges(rows, length, [&](std::int64_t begin, std::int64_t end) {
    for_each_run(scale, g, row_factors, column_factors, begin, end,
                 [&](std::int64_t, std::span<const float> u) { square_sum_alone(u, parts[begin / length]); });
  });
  for (const auto& part : parts) add_square_sums(part, squares);
}

void adafactor_weights(float weight_decay, const AdamStep& step, float clip, const AdafactorWeights& update) {
  const std::span<const float> w = update.w, g = update.g;
  const std::span<const float> row_factors = update.row_factors, column_factors = update.column_factors;
  const std::span<float> new_w = update.new_w;
  const std::span<bfloat16> rounded_w = update.rounded_w;
  const double mean = square_sum_value(update.squares) / static_cast<double>(update.elements);
  const float rate = step.learning_rate, decay = rate * weight_decay;
  const auto length = static_cast<float>(rate / std::max(1.0, std::sqrt(mean)));
  const float scale = step.gradient_scale * clip;
  const auto rows = static_cast<std::int64_t>(row_factors.size());
  const std::int64_t grain = row_grain(static_cast<std::int64_t>(column_factors.size()));
  parallel_for_ranges(rows, grain, [&](std::int64_t begin, std::int64_t end) {
    for_each_run(scale, g, row_factors, column_factors, begin, end, [&](std::int64_t first, std::span<const float> u) {
      for (std::size_t k = 0; k < u.size(); ++k) {
        const std::size_t at = static_cast<std::size_t>(first) + k;
        new_w[at] = w[at] - decay * w[at] - length * u[k];
      }
      if (rounded_w.empty()) return;
      for (std::size_t at = static_cast<std::size_t>(first); at < static_cast<std::size_t>(first) + u.size(); ++at) {
        rounded_w[at] = to_bfloat16(new_w[at]);
      }
    });
  });
}

}  // namespace phasor::kernels
