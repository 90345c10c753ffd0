// Adafactor: the second moments of a matrix as the means of its rows and of its columns (Shazeer and Stern, "Adafactor:
// Adaptive Learning Rates with Sublinear Memory Cost", 2018), without a first moment, at a learning rate that is given.
//
//   g' = g gradient_scale clip
//   R[i] = beta R[i] + (1 - beta) (mean over j of g'[i,j]^2 + eps),  C[j] likewise of columns,  beta = 1 - t^-0.8
//   u[i,j] = g'[i,j] (R[i] / mean of R)^-1/2 C[j]^-1/2
//   w -= learning_rate (u / max(1, root mean square of u) + weight_decay w)
//
// A vector is a matrix of one column, for which u is g' over the root of its second moment. Four passes: sums, factors,
// squares, weights. A part of a matrix is any number of its rows, and what is made of parts, from the first to the
// last, is made of the whole to the bit: a column is summed row by row, the squares of u exactly (square_sum.h).
#pragma once

#include "engine/kernels/optimizers/optimizer.h"
#include "engine/kernels/square_sum.h"

namespace phasor::kernels {

// Sums of squares, doubles as their bits: those of the part's rows are written, to those of all columns the part's are
// added.
void adafactor_sums(const AdamStep& step, float clip, std::span<const float> g, std::span<std::int64_t> row_sums,
                    std::span<std::int64_t> column_sums);

// Of a whole matrix, rows first: its moments, its sums, and the factors of its rows and columns in u.
// `step.correction2` is beta. new_moments may be moments.
void adafactor_factors(const AdamStep& step, std::int64_t rows, std::span<const float> moments,
                       std::span<const std::int64_t> sums, std::span<float> new_moments, std::span<float> factors);

// squares += those of u of the part
void adafactor_squares(const AdamStep& step, float clip, std::span<const float> g, std::span<const float> row_factors,
                       std::span<const float> column_factors, std::span<std::int64_t> squares);

struct AdafactorWeights {
  std::span<const float> w, g, row_factors, column_factors;
  std::span<const std::int64_t> squares;  // of the whole matrix
  std::int64_t elements = 0;              // likewise
  std::span<float> new_w;                 // may be w
  std::span<bfloat16> rounded_w;          // unless empty, new_w rounded to bfloat16
};
void adafactor_weights(float weight_decay, const AdamStep& step, float clip, const AdafactorWeights& update);

}  // namespace phasor::kernels
