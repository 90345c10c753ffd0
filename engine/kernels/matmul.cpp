#include "engine/kernels/matmul.h"

#include <algorithm>

#include "engine/base/parallel.h"

namespace phasor::kernels {

namespace {

constexpr std::int64_t pieces(std::int64_t size, std::int64_t part) { return (size + part - 1) / part; }

// How many rows of c a piece has: as many pieces, up to sixteen, as leave each some 50 million operations, which repay
// handing it out, and 64 rows, which repay what it does to all of b. That number is a power of two, for teams to share
// evenly, so rows are rounded up by little: to what kernels take at a time. What is less is halved, while it is not so
// little that a thread has done it sooner than another has begun.
std::int64_t piece_rows(const ProductShape& s) {
  constexpr std::int64_t kOperations = 50'000'000, kMostPieces = 16, kLeastRows = 64, kBlockRows = 32;
  constexpr std::int64_t kLeastHalved = 5'000'000, kLeastRowsHalved = 32, kFewRows = 4;
  const std::int64_t operations = 2 * s.m * s.n * s.k;
  if (operations <= kOperations) {
    const bool halves = operations >= kLeastHalved && s.m >= kLeastRowsHalved;
    return halves ? pieces(pieces(s.m, 2), kFewRows) * kFewRows : std::max<std::int64_t>(1, s.m);
  }
  std::int64_t count = 1;
  while (count < kMostPieces && operations > count * kOperations && s.m >= 2 * count * kLeastRows) count *= 2;
  return std::max(kLeastRows, pieces(pieces(s.m, count), kBlockRows) * kBlockRows);
}

// Whether packing b first, once for all pieces, is worth its scratch: in bfloat16 every piece would do it by itself.
bool packs(const ProductShape& s) {
  constexpr std::int64_t kFewPieces = 4;
  return s.operands == DType::bf16 && !s.packed_b && pieces(s.m, piece_rows(s)) >= kFewPieces && packed_b_bytes(s) > 0;
}

// The product of `rows` rows of c. Where a is stored transposed, they are columns of what is stored.
ProductShape piece_of(ProductShape s, std::int64_t rows) {
  s.packed_b = s.packed_b || packs(s);
  s.lda = s.transpose_a ? s.m : s.k;
  s.m = rows;
  return s;
}

ProductShape piece_of(const ProductShape& s) { return piece_of(s, std::min(s.m, piece_rows(s))); }
ProductShape last_of(const ProductShape& s) { return piece_of(s, s.m % piece_rows(s)); }

}  // namespace

Matmul::Matmul(const ProductShape& shape, int workers)
    : shape_(shape),
      workers_(workers),
      packed_bytes_(packs(shape) ? packed_b_bytes(shape) : 0),
      rows_(piece_rows(shape)),
      piece_(make_product(piece_of(shape), workers)) {
  if (packed_bytes_ > 0) packing_ = make_packing(shape);
  if (shape.m > rows_ && shape.m % rows_ != 0) last_ = make_product(last_of(shape), workers);
}

std::int64_t Matmul::worker_bytes() const {
  return std::max(piece_->scratch_bytes(), last_ ? last_->scratch_bytes() : 0);
}

std::int64_t Matmul::scratch_bytes() const { return packed_bytes_ + workers_ * worker_bytes(); }

void Matmul::run(const void* a, const void* b, const float* bias, void* c, std::span<std::byte> scratch) const {
  if (packing_) {
    std::byte* const packed = scratch.data();
    parallel_for(packing_->slices(), [&](std::int64_t slice) { packing_->run(slice, b, packed); });
    b = packed;
  }
  const std::int64_t a_step = rows_ * (shape_.transpose_a ? 1 : shape_.k) * size_of(shape_.operands);
  const std::int64_t c_step = rows_ * shape_.n * size_of(shape_.result);
  parallel_for(pieces(shape_.m, rows_), [&](std::int64_t i, int worker) {
    const Product& product = last_ && (i + 1) * rows_ > shape_.m ? *last_ : *piece_;
    product.run(worker, static_cast<const std::byte*>(a) + i * a_step, b, bias, static_cast<std::byte*>(c) + i * c_step,
                scratch.data() + packed_bytes_ + worker * worker_bytes());
  });
}

std::int64_t matmul_scratch_bytes(const ProductShape& shape, int workers) {
  std::int64_t worker_bytes = product_scratch_bytes(piece_of(shape));
  if (shape.m > piece_rows(shape) && shape.m % piece_rows(shape) != 0)
    worker_bytes = std::max(worker_bytes, product_scratch_bytes(last_of(shape)));
  return (packs(shape) ? packed_b_bytes(shape) : 0) + workers * worker_bytes;
}

}  // namespace phasor::kernels
