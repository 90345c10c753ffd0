// Row-major matrices over memory that somebody else owns, for Eigen's products.
#pragma once

// GCC 12 takes the deliberately undefined operands of AVX-512 intrinsics for mistakes (its bug 105593).
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <Eigen/Core>
#pragma GCC diagnostic pop

namespace phasor::kernels {

using Stride = Eigen::OuterStride<Eigen::Dynamic>;  // elements from one row to the next
using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix = Eigen::Map<RowMajor, Eigen::Unaligned, Stride>;
using ConstMatrix = Eigen::Map<const RowMajor, Eigen::Unaligned, Stride>;

}  // namespace phasor::kernels
