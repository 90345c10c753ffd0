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
void dropout_add_norm(const RandomPosition& position, std::int64_t site, float probability, std::int64_t samples,
                      float eps, std::span<const T> x, std::span<const T> residual, std::span<const float> gamma,
                      std::span<const float> beta, std::span<T> sum, std::span<T> y, std::span<float> mean,
                      std::span<float> rstd) {
  const auto rows = static_cast<std::int64_t>(mean.size()), columns = static_cast<std::int64_t>(gamma.size());
  const RowDropout dropout(position, site, probability, samples, rows, columns);
  parallel_for_ranges(rows, row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const T *in = x.data() + i * columns, *add = residual.data() + i * columns;
      T* total = sum.data() + i * columns;
      dropout.for_runs(i, [=, rate = dropout.rate](std::int64_t first, std::int64_t count, const std::uint16_t* bits) {
#pragma GCC ivdep
        for (std::int64_t j = 0; j < count; ++j)
          total[first + j] = from_float<T>(to_float(dropped(in[first + j], bits[j], rate)) + to_float(add[first + j]));
      });
      const Moments moments = moments_of(total, columns, eps);
      normalise(total, moments, gamma.data(), beta.data(), columns, y.data() + i * columns);
      mean[i] = moments.mean;
      rstd[i] = moments.rstd;
    }
  });
}

template <class T>
void dropout_add_norm_gradient(const RandomPosition& position, std::int64_t site, float probability,
                               std::int64_t samples, std::span<const T> sum, std::span<const float> gamma,
                               std::span<const float> mean, std::span<const float> rstd, std::span<const T> dy,
                               std::span<T> dx, std::span<T> dresidual, std::span<float> dgamma, std::span<float> dbeta,
                               std::span<float> scratch) {
  const auto rows = static_cast<std::int64_t>(mean.size()), columns = static_cast<std::int64_t>(gamma.size());
  const RowDropout dropout(position, site, probability, samples, rows, columns);
  for_gradient_rows(rows, dgamma, dbeta, scratch, [&](std::int64_t i, float* gamma_sum, float* beta_sum) {
    T *through = dresidual.data() + i * columns, *out = dx.data() + i * columns;
    gradient_row(sum.data() + i * columns, {mean[i], rstd[i]}, gamma.data(), dy.data() + i * columns, columns, through,
                 gamma_sum, beta_sum);
    dropout.for_runs(i, [=, rate = dropout.rate](std::int64_t first, std::int64_t count, const std::uint16_t* bits) {
#pragma GCC ivdep
      for (std::int64_t j = 0; j < count; ++j) out[first + j] = dropped(through[first + j], bits[j], rate);
    });
  });
}

std::int64_t dropout_add_norm_gradient_scratch(std::int64_t rows, std::int64_t columns) {
  return layer_norm_gradient_scratch(rows, columns);
}

template void dropout_add_norm(const RandomPosition&, std::int64_t, float, std::int64_t, float, std::span<const float>,
                               std::span<const float>, std::span<const float>, std::span<const float>, std::span<float>,
                               std::span<float>, std::span<float>, std::span<float>);
template void dropout_add_norm(const RandomPosition&, std::int64_t, float, std::int64_t, float,
                               std::span<const bfloat16>, std::span<const bfloat16>, std::span<const float>,
                               std::span<const float>, std::span<bfloat16>, std::span<bfloat16>, std::span<float>,
                               std::span<float>);
template void dropout_add_norm_gradient(const RandomPosition&, std::int64_t, float, std::int64_t,
                                        std::span<const float>, std::span<const float>, std::span<const float>,
                                        std::span<const float>, std::span<const float>, std::span<float>,
                                        std::span<float>, std::span<float>, std::span<float>, std::span<float>);
template void dropout_add_norm_gradient(const RandomPosition&, std::int64_t, float, std::int64_t,
                                        std::span<const bfloat16>, std::span<const float>, std::span<const float>,
                                        std::span<const float>, std::span<const bfloat16>, std::span<bfloat16>,
                                        std::span<bfloat16>, std::span<float>, std::span<float>, std::span<float>);

}  // namespace phasor::kernels
