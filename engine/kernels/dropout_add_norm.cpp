#include "engine/kernels/dropout_add_norm.h"

#include "engine/kernels/dropout_runs.h"
#include "engine/kernels/norm.h"
#include "engine/kernels/norm_rows.h"

namespace phasor::kernels {

namespace {

// Where the rows of an op find their random bits.
struct RowDropout {
  template <class Op>
  RowDropout(const Op& op, std::int64_t rows, std::int64_t width)
      : random(op.position, op.site),
        rate(op.probability),
        segments(op.segments),
        rows_of_sample(op.samples == 0 ? 0 : rows / op.samples),
        columns(width) {}

  // Calls use(first, count, bits, rate) for consecutive runs of the row.
  template <class Use>
  void for_runs(std::int64_t row, Use use) const {
    if (segments == nullptr) return for_runs_of(row / rows_of_sample, row % rows_of_sample, use);
    const std::int64_t token = row % segments->sequence();
    const Segment segment = segments->of_token(row / segments->sequence(), token);
    if (segment.tokens > 0) return for_runs_of(segment.sample, token - segment.first, use);
    for_dropped_runs(columns, use);
  }

  RandomSite random;
  DropoutRate rate;
  const Segments* segments;
  std::int64_t rows_of_sample, columns;

 private:
  template <class Use>
  void for_runs_of(std::int64_t sample, std::int64_t row, Use use) const {
    for_dropout_runs(random, rate, sample, row * columns, columns,
                     [=, this](std::int64_t first, std::int64_t count, const std::uint16_t* bits) {
                       use(first, count, bits, rate);
                     });
  }
};

}  // namespace

template <class T>
void dropout_add_norm(const DropoutAddNorm<T>& op) {
  const auto rows = static_cast<std::int64_t>(op.mean.size()), columns = static_cast<std::int64_t>(op.gamma.size());
  const RowDropout dropout(op, rows, columns);
  parallel_for_ranges(rows, row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const T *in = op.x.data() + i * columns, *add = op.residual.data() + i * columns;
      T* total = op.sum.data() + i * columns;
      dropout.for_runs(i, [=](std::int64_t first, std::int64_t count, const std::uint16_t* bits, DropoutRate rate) {
#pragma GCC ivdep
        for (std::int64_t j = 0; j < count; ++j)
          total[first + j] = from_float<T>(to_float(dropped(in[first + j], bits[j], rate)) + to_float(add[first + j]));
      });
      const Moments moments = moments_of(total, columns, op.eps);
      normalise(total, moments, op.gamma.data(), op.beta.data(), columns, op.y.data() + i * columns);
      op.mean[i] = moments.mean;
      op.rstd[i] = moments.rstd;
    }
  });
}

template <class T>
void dropout_add_norm_gradient(const DropoutAddNormGradient<T>& op) {
  const auto rows = static_cast<std::int64_t>(op.mean.size()), columns = static_cast<std::int64_t>(op.gamma.size());
  const RowDropout dropout(op, rows, columns);
  for_gradient_rows(rows, op.dgamma, op.dbeta, op.scratch, [&](std::int64_t i, float* gamma_sum, float* beta_sum) {
    T *through = op.dresidual.data() + i * columns, *out = op.dx.data() + i * columns;
    gradient_row(op.sum.data() + i * columns, {op.mean[i], op.rstd[i]}, op.gamma.data(), op.dy.data() + i * columns,
                 columns, through, gamma_sum, beta_sum);
    dropout.for_runs(i, [=](std::int64_t first, std::int64_t count, const std::uint16_t* bits, DropoutRate rate) {
#pragma GCC ivdep
      for (std::int64_t j = 0; j < count; ++j) out[first + j] = dropped(through[first + j], bits[j], rate);
    });
  });
}

std::int64_t dropout_add_norm_gradient_scratch(std::int64_t rows, std::int64_t columns) {
  return layer_norm_gradient_scratch(rows, columns);
}

template void dropout_add_norm(const DropoutAddNorm<float>&);
template void dropout_add_norm(const DropoutAddNorm<bfloat16>&);
template void dropout_add_norm_gradient(const DropoutAddNormGradient<float>&);
template void dropout_add_norm_gradient(const DropoutAddNormGradient<bfloat16>&);

}  // namespace phasor::kernels
