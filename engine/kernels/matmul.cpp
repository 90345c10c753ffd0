#include "engine/kernels/matmul.h"

#include <algorithm>

#include "engine/base/parallel.h"
#include "engine/kernels/matrix.h"

namespace phasor::kernels {

namespace {

constexpr std::int64_t pieces(std::int64_t size, std::int64_t part) { return (size + part - 1) / part; }

// The part of c that one piece of work computes.
struct Tile {
  std::int64_t rows = 256, columns = 256;
};

// Large tiles, so that packing the operands anew for each costs little; lower ones where there would be few.
Tile tile_of(const MatmulShape& shape) {
  constexpr std::int64_t kFewTiles = 16, kLowest = 64;
  Tile tile;
  while (tile.rows > kLowest && pieces(shape.m, tile.rows) * pieces(shape.n, tile.columns) < kFewTiles) tile.rows /= 2;
  return tile;
}

// c[row : row + rows, column : column + columns]
void multiply_tile(const MatmulShape& s, const float* a, const float* b, float* c, std::int64_t row,
                   std::int64_t column, std::int64_t rows, std::int64_t columns) {
  Matrix part(c + row * s.n + column, rows, columns, Stride(s.n));
  const auto times_b = [&](const auto& left) {
    if (s.transpose_b) {
      part.noalias() = left * ConstMatrix(b + column * s.k, columns, s.k, Stride(s.k)).transpose();
    } else {
      part.noalias() = left * ConstMatrix(b + column, s.k, columns, Stride(s.n));
    }
  };
  if (s.transpose_a) {
    times_b(ConstMatrix(a + row, s.k, rows, Stride(s.m)).transpose());
  } else {
    times_b(ConstMatrix(a + row * s.k, rows, s.k, Stride(s.k)));
  }
}

}  // namespace

void matmul(const MatmulShape& shape, std::span<const float> a, std::span<const float> b, std::span<float> c) {
  const Tile tile = tile_of(shape);
  const std::int64_t across = pieces(shape.n, tile.columns);
  parallel_for(pieces(shape.m, tile.rows) * across, [&](std::int64_t piece) {
    const std::int64_t row = piece / across * tile.rows, column = piece % across * tile.columns;
    multiply_tile(shape, a.data(), b.data(), c.data(), row, column, std::min(tile.rows, shape.m - row),
                  std::min(tile.columns, shape.n - column));
  });
}

}  // namespace phasor::kernels
