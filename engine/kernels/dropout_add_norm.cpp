#include "engine/kernels/dropout_add_norm.h"

#include "engine/kernels/dropout_runs.h"
#include "engine/kernels/norm.h"
#include "engine/kernels/norm_rows.h"

namespace phasor::kernels {

namespace {

// Where the rows of a tensor [samples, rows_of_sample, columns] find their random bits.
struct RowDropout {
  RowDropout(const RandomPosition& position, std::int64_t site, float probability, std::int64_t samples,
             std::int64_t rows, std::int64_t width)
      : random(position, site), rate(probability), rows_of_sample(samples == 0 ? 0 : rows / samples), columns(width) {}

  template <class Use>
  void for_runs(std::int64_t row, Use use) const {
    for_dropout_runs(random, rate, row / rows_of_sample, row % rows_of_sample * columns, columns, use);
  }

  RandomSite random;
  DropoutRate rate;
  std::int64_t rows_of_sample, columns;
};

}  // namespace

template <class T>
void dropout_add_norm(const DropoutAddNorm<T>& op) {
  const auto rows = static_cast<std::int64_t>(op.mean.size()), columns = static_cast<std::int64_t>(op.gamma.size());
  const RowDropout dropout(op.position, op.site, op.probability, op.samples, rows, columns);
  parallel_for_ranges(rows, row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const T *in = op.x.data() + i * columns, *add = op.residual.data() + i * columns;
      T* total = op.sum.data() + i * columns;
      dropout.for_runs(i, [=, rate = dropout.rate](std::int64_t first, std::int64_t count, const std::uint16_t* bits) {
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
  const RowDropout dropout(op.position, op.site, op.probability, op.samples, rows, columns);
  for_gradient_rows(rows, op.dgamma, op.dbeta, op.scratch, [&](std::int64_t i, float* gamma_sum, float* beta_sum) {
    T *through = op.dresidual.data() + i * columns, *out = op.dx.data() + i * columns;
    gradient_row(op.sum.data() + i * columns, {op.mean[i], op.rstd[i]}, op.gamma.data(), op.dy.data() + i * columns,
                 columns, through, gamma_sum, beta_sum);
    dropout.for_runs(i, [=, rate = dropout.rate](std::int64_t first, std::int64_t count, const std::uint16_t* bits) {
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
