#include "engine/kernels/norm.h"

#include "engine/kernels/norm_rows.h"

namespace phasor::kernels {

template <class T>
void layer_norm(float eps, std::span<const T> x, std::span<const float> gamma, std::span<const float> beta,
                std::span<T> y, std::span<float> mean, std::span<float> rstd) {
  const auto rows = static_cast<std::int64_t>(mean.size()), columns = static_cast<std::int64_t>(gamma.size());
  parallel_for_ranges(rows, row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Moments moments = moments_of(x.data() + i * columns, columns, eps);
      normalise(x.data() + i * columns, moments, gamma.data(), beta.data(), columns, y.data() + i * columns);
      mean[i] = moments.mean;
      rstd[i] = moments.rstd;
    }
  });
}

template <class T>
void layer_norm_gradient(const LayerNormGradient<T>& op) {
  const auto rows = static_cast<std::int64_t>(op.mean.size()), columns = static_cast<std::int64_t>(op.gamma.size());
  for_gradient_rows(rows, op.dgamma, op.dbeta, op.scratch, [&](std::int64_t i, float* gamma_sum, float* beta_sum) {
    gradient_row(op.x.data() + i * columns, {op.mean[i], op.rstd[i]}, op.gamma.data(), op.dy.data() + i * columns,
                 columns, op.dx.data() + i * columns, gamma_sum, beta_sum);
  });
}

std::int64_t layer_norm_gradient_scratch(std::int64_t rows, std::int64_t columns) {
  return gradient_pieces(rows) * 2 * columns;
}

// A strip of columns sums them over the pieces.
void add_gradient_pieces(std::int64_t pieces, std::span<const float> sums, std::span<float> dgamma,
                         std::span<float> dbeta) {
  constexpr std::int64_t kStrip = 256;
  const auto columns = static_cast<std::int64_t>(dgamma.size());
  const auto add_row = [](const float* row, float* sum, std::int64_t count) {
#pragma GCC ivdep
    for (std::int64_t j = 0; j < count; ++j) sum[j] += row[j];
  };
  parallel_for_ranges(columns, kStrip, [&](std::int64_t begin, std::int64_t end) {
    std::fill(dgamma.begin() + begin, dgamma.begin() + end, 0.0f);
    std::fill(dbeta.begin() + begin, dbeta.begin() + end, 0.0f);
    for (std::int64_t piece = 0; piece < pieces; ++piece) {
      const float* both = sums.data() + piece * 2 * columns;
      add_row(both + begin, dgamma.data() + begin, end - begin);
      add_row(both + columns + begin, dbeta.data() + begin, end - begin);
    }
  });
}

template void layer_norm(float, std::span<const float>, std::span<const float>, std::span<const float>,
                         std::span<float>, std::span<float>, std::span<float>);
template void layer_norm(float, std::span<const bfloat16>, std::span<const float>, std::span<const float>,
                         std::span<bfloat16>, std::span<float>, std::span<float>);
template void layer_norm_gradient(const LayerNormGradient<float>&);
template void layer_norm_gradient(const LayerNormGradient<bfloat16>&);

}  // namespace phasor::kernels
