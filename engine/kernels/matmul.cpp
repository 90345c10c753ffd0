#include "engine/kernels/matmul.h"

#include <algorithm>

#include "engine/base/parallel.h"
#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

namespace {

constexpr std::int64_t pieces(std::int64_t size, std::int64_t part) { return size == 0 ? 0 : (size + part - 1) / part; }

// Whether packing b first, once for all pieces, is worth its scratch: in bfloat16 every piece would do it by itself.
bool packs(const ProductShape& s, const Cut& cut) {
  constexpr std::int64_t kFewPieces = 4;
  return s.operands == DType::bf16 && !s.packed_b && pieces(s.m, cut.rows) >= kFewPieces && packed_b_bytes(s) > 0;
}

// The product that makes `rows` and `columns` of c. Where an operand is stored transposed, what of it is a row of the
// product is a column of what is stored.
ProductShape piece_of(ProductShape s, const Cut& cut, std::int64_t rows, std::int64_t columns) {
  s.packed_b = s.packed_b || packs(s, cut);
  s.lda = s.transpose_a ? s.m : s.k;
  if (columns < s.n) {
    s.ldb = s.transpose_b ? s.k : s.n;
    s.ldc = s.n;
    s.n = columns;
  }
  s.m = rows;
  return s;
}

// Calls visit(shape, i) for each size of piece that there is: most, the last of a column, of a row, of both.
template <class Visit>
void for_each_piece(ProductShape s, const Cut& cut, Visit visit) {
  if (s.backend.empty()) s.backend = backend_of(whole(s)).name;
  const std::int64_t last_rows = cut.rows > 0 ? s.m % cut.rows : 0,
                     last_columns = cut.columns > 0 ? s.n % cut.columns : 0;
  visit(piece_of(s, cut, cut.rows, cut.columns), 0);
  if (last_rows > 0) visit(piece_of(s, cut, last_rows, cut.columns), 1);
  if (last_columns > 0) visit(piece_of(s, cut, cut.rows, last_columns), 2);
  if (last_rows > 0 && last_columns > 0) visit(piece_of(s, cut, last_rows, last_columns), 3);
}

}  // namespace

Matmul::Matmul(const ProductShape& shape, int workers)
    : shape_(shape),
      workers_(workers),
      cut_(cut_of(shape)),
      packed_bytes_(packs(shape, cut_) ? packed_b_bytes(shape) : 0) {
  team_ = make_team_product(shape, workers);
  if (team_) return;
  for_each_piece(shape_, cut_, [&](const ProductShape& s, int i) { pieces_[i] = make_product(s, workers); });
  if (packed_bytes_ > 0) packing_ = make_packing(shape);
}

std::int64_t Matmul::worker_bytes() const {
  std::int64_t bytes = 0;
  for (const auto& piece : pieces_) bytes = std::max(bytes, piece ? piece->scratch_bytes() : 0);
  return bytes;
}

std::int64_t Matmul::scratch_bytes() const {
  return team_ ? team_->team_scratch_bytes() : packed_bytes_ + workers_ * worker_bytes();
}

void Matmul::run(const void* a, const void* b, const float* bias, void* c, std::span<std::byte> scratch) const {
  if (team_) return team_->run_on_team(a, b, bias, c, scratch.data());
  if (packing_) {
    std::byte* const packed = scratch.data();
    parallel_for(packing_->slices(), [&](std::int64_t slice) { packing_->run(slice, b, packed); });
    b = packed;
  }
  const std::int64_t operand_bytes = size_of(shape_.operands), result_bytes = size_of(shape_.result);
  const std::int64_t columns = pieces(shape_.n, cut_.columns);
  parallel_for(pieces(shape_.m, cut_.rows) * columns, [&](std::int64_t i, int worker) {
    const std::int64_t row = i / columns * cut_.rows, column = i % columns * cut_.columns;
    const int last = (row + cut_.rows > shape_.m ? 1 : 0) + (column + cut_.columns > shape_.n ? 2 : 0);
    const std::int64_t a_first = row * (shape_.transpose_a ? 1 : shape_.k);
    const std::int64_t b_first = column * (shape_.transpose_b ? shape_.k : 1);
    pieces_[last]->run(worker, static_cast<const std::byte*>(a) + a_first * operand_bytes,
                       static_cast<const std::byte*>(b) + b_first * operand_bytes, bias ? bias + column : nullptr,
                       static_cast<std::byte*>(c) + (row * shape_.n + column) * result_bytes,
                       scratch.data() + packed_bytes_ + worker * worker_bytes());
  });
}

std::int64_t matmul_scratch_bytes(const ProductShape& shape, int workers) {
  if (const auto team = make_team_product(shape, workers)) return team->team_scratch_bytes();
  const Cut cut = cut_of(shape);
  std::int64_t worker_bytes = 0;
  for_each_piece(shape, cut,
                 [&](const ProductShape& s, int) { worker_bytes = std::max(worker_bytes, product_scratch_bytes(s)); });
  return (packs(shape, cut) ? packed_b_bytes(shape) : 0) + workers * worker_bytes;
}

}  // namespace phasor::kernels
