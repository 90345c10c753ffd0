#include "engine/kernels/product/panels/panel_product.h"

#include <algorithm>
#include <utility>

#include "engine/base/parallel.h"
#include "engine/kernels/product/product_backends.h"
#include "engine/kernels/product/start_sum.h"

namespace phasor::kernels {

namespace {

constexpr std::int64_t kPanelsAtATime = 8;  // of b, that one thread packs

std::int64_t bytes_of(std::int64_t floats) { return whole_lines(floats * static_cast<std::int64_t>(sizeof(float))); }

// An operand's lines, rows of a or columns of b, which lie one after the other or side by side.
struct Lines {
  const float* data;
  std::int64_t stride;
  bool side_by_side;

  const float* at(std::int64_t line, std::int64_t step) const {
    return side_by_side ? data + step * stride + line : data + line * stride + step;
  }
};

// Copies whole tiles as they are, and what is left of the last one by way of `filled` [tile, depth], which zeros fill
// up.
void pack(const Lines& from, std::int64_t line, std::int64_t lines, std::int64_t first, std::int64_t depth,
          std::int64_t tile, PanelKernel::Pack pack_lines, PanelKernel::Pack pack_filled, float* filled, float* to) {
  const std::int64_t whole = lines / tile * tile;
  if (whole > 0) pack_lines(depth, whole, from.at(line, first), from.stride, to);
  if (whole == lines) return;
  for (std::int64_t i = 0; i < tile; ++i)
    for (std::int64_t step = 0; step < depth; ++step)
      filled[i * depth + step] = whole + i < lines ? *from.at(line + whole + i, first + step) : 0;
  pack_filled(depth, tile, filled, depth, to + whole * depth);
}

}  // namespace

PanelProduct::PanelProduct(std::string_view backend, const PanelKernel& kernel, const ProductShape& shape, int workers)
    : backend_(backend), kernel_(kernel), shape_(shape), workers_(workers), blocks_(panel_blocks(kernel, shape)) {}

std::int64_t PanelProduct::shared_bytes() const {
  return bytes_of(whole_parts(shape_.n, kernel_.columns) * blocks_.depth);
}

// Panels of a block of a; behind them a tile to be filled up, or an edge of what is multiplied at a time.
std::int64_t PanelProduct::worker_bytes() const {
  const std::int64_t edge = std::max({std::max(kernel_.rows, kernel_.columns) * blocks_.depth,
                                      kernel_.rows * blocks_.columns_at_a_time, blocks_.rows * kernel_.columns});
  return bytes_of(blocks_.rows * blocks_.depth + edge);
}

void PanelProduct::run(int, const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const {
  run({static_cast<const float*>(a), static_cast<const float*>(b), bias, static_cast<float*>(c), scratch},
      [](std::int64_t count, auto&& body) {
        for (std::int64_t i = 0; i < count; ++i) body(i, 0);
      });
}

void PanelProduct::run_on_team(const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const {
  run({static_cast<const float*>(a), static_cast<const float*>(b), bias, static_cast<float*>(c), scratch},
      [](std::int64_t count, auto&& body) { parallel_for(count, std::forward<decltype(body)>(body)); });
}

// for_each(count, body) calls body(i, worker) for i in [0, count), in any order.
template <class ForEach>
void PanelProduct::run(const Operands& o, ForEach for_each) const {
  const std::int64_t lines = kPanelsAtATime * kernel_.columns;
  const std::int64_t down = pieces(shape_.m, blocks_.rows), across = pieces(shape_.n, blocks_.columns);
  auto* const panels_of_b = reinterpret_cast<float*>(o.scratch);
  const auto own = [&](int worker) {
    return reinterpret_cast<float*>(o.scratch + shared_bytes() + worker * worker_bytes());
  };
  for (std::int64_t first = 0; first < shape_.k; first += blocks_.depth) {
    const std::int64_t depth = std::min(blocks_.depth, shape_.k - first);
    for_each(pieces(shape_.n, lines), [&](std::int64_t i, int worker) {
      const std::int64_t column = i * lines;
      pack({o.b, shape_.ldb, !shape_.transpose_b}, column, std::min(lines, shape_.n - column), first, depth,
           kernel_.columns, shape_.transpose_b ? kernel_.pack_columns_transposed : kernel_.pack_columns,
           kernel_.pack_columns_transposed, own(worker), panels_of_b + column * depth);
    });
    for_each(down * across, [&](std::int64_t i, int worker) {
      Part part{
          .row = i / across * blocks_.rows, .column = i % across * blocks_.columns, .first = first, .depth = depth};
      part.rows = std::min(blocks_.rows, shape_.m - part.row);
      const std::int64_t end = std::min(part.column + blocks_.columns, shape_.n);
      float *const panels_of_a = own(worker), *const edge = panels_of_a + blocks_.rows * blocks_.depth;
      pack({o.a, shape_.lda, shape_.transpose_a}, part.row, part.rows, first, depth, kernel_.rows,
           shape_.transpose_a ? kernel_.pack_rows_transposed : kernel_.pack_rows, kernel_.pack_rows, edge, panels_of_a);
      for (; part.column < end; part.column += blocks_.columns_at_a_time) {
        part.columns = std::min(blocks_.columns_at_a_time, end - part.column);
        part.a = panels_of_a;
        part.b = panels_of_b + part.column * depth;
        if (first == 0) start(o, part);
        multiply(o, part, edge);
      }
    });
  }
}

void PanelProduct::start(const Operands& o, const Part& p) const {
  ProductShape part = shape_;
  part.m = p.rows;
  part.n = p.columns;
  start_sum(part, shape_.bias ? o.bias + p.column : nullptr, o.c + p.row * shape_.ldc + p.column);
}

// Whole tiles and edges by calls of their own, whatever the rows: a call may sum its first and last columns otherwise.
void PanelProduct::multiply(const Operands& o, const Part& p, float* edge) const {
  const std::int64_t rows = p.rows / kernel_.rows * kernel_.rows;
  const std::int64_t columns = p.columns / kernel_.columns * kernel_.columns;
  for (const bool right : {false, true})
    for (const bool below : {false, true}) {
      Part part = p;
      part.rows = below ? p.rows - rows : rows;
      part.columns = right ? p.columns - columns : columns;
      if (part.rows == 0 || part.columns == 0) continue;
      part.row += below ? rows : 0;
      part.column += right ? columns : 0;
      part.a += below ? rows * p.depth : 0;
      part.b += right ? columns * p.depth : 0;
      if (right || below) {
        multiply_edge(o, part, edge);
      } else {
        kernel_.multiply(columns, rows, p.depth, 1, p.b, p.a, o.c + p.row * shape_.ldc + p.column, shape_.ldc);
      }
    }
}

// By way of `edge`, which has whole tiles.
void PanelProduct::multiply_edge(const Operands& o, const Part& p, float* edge) const {
  const std::int64_t rows = whole_parts(p.rows, kernel_.rows), columns = whole_parts(p.columns, kernel_.columns);
  std::fill_n(edge, rows * columns, 0.0f);
  kernel_.multiply(columns, rows, p.depth, 1, p.b, p.a, edge, columns);
  for (std::int64_t i = 0; i < p.rows; ++i)
    for (std::int64_t j = 0; j < p.columns; ++j) o.c[(p.row + i) * shape_.ldc + p.column + j] += edge[i * columns + j];
}

}  // namespace phasor::kernels
