// How a product in panels goes through its blocks.
#include <algorithm>
#include <utility>

#include "engine/base/bfloat16.h"
#include "engine/base/parallel.h"
#include "engine/kernels/product/panels/panel_product.h"
#include "engine/kernels/product/start_sum.h"

namespace phasor::kernels {

void PanelProduct::run(int, const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const {
  run(operands(a, b, bias, c, scratch), [](std::int64_t count, auto&& body) {
    for (std::int64_t i = 0; i < count; ++i) body(i, 0);
  });
}

void PanelProduct::run_on_team(const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const {
  run(operands(a, b, bias, c, scratch),
      [](std::int64_t count, auto&& body) { parallel_for(count, std::forward<decltype(body)>(body)); });
}

// for_each(count, body) calls body(i, worker) for i in [0, count), in any order.
template <class ForEach>
void PanelProduct::run(const Operands& o, ForEach for_each) const {
  const std::int64_t lines = kPanelsAtATime * kernel_.columns;
  const WorkerBytes bytes = worker_bytes();
  for (std::int64_t column = 0; column < shape_.n; column += columns_at_once()) {
    const Columns columns{.first = column, .count = std::min(columns_at_once(), shape_.n - column)};
    for_each_depth({.depth = shape_.k}, depth_at_once(), [&](const LineRange& shared) {
      for_each(shape_.packed_b ? 0 : pieces(columns.count, lines), [&](std::int64_t i, int) {
        LineRange range = shared;
        range.line = i * lines;
        range.count = std::min(lines, columns.count - range.line);
        pack_columns(o.b, columns, range, kernel_, blocks_.depth, reinterpret_cast<float*>(o.scratch));
      });
      const PanelGrid grid(blocks_, shape_.m, columns.count);
      for_each(grid.count(), [&](std::int64_t number, int worker) {
        const PanelBlock block = grid.at(number);
        std::byte* const from = o.scratch + shared_bytes() + worker * bytes.whole();
        const WorkerScratch own{.panels = reinterpret_cast<float*>(from),
                                .edge = reinterpret_cast<float*>(from + bytes.panels),
                                .sums = reinterpret_cast<float*>(from + bytes.panels + bytes.edge)};
        for_each_depth(shared, depth_of_block(), [&](const LineRange& steps) {
          Operands from_here = o;
          from_here.panels += whole_parts(columns.count, kernel_.columns) * (steps.step - shared.step);
          run_block(from_here, columns, block, steps, own);
        });
      });
    });
  }
}

void PanelProduct::run_block(const Operands& o, const Columns& columns, const PanelBlock& block, const LineRange& steps,
                             const WorkerScratch& own) const {
  Place place{.row = block.row, .column = columns.first + block.column};
  const std::int64_t end = place.column + block.columns;
  PanelPart part{.rows = block.rows};
  const std::int64_t lines_of_a = whole_parts(part.rows, kernel_.rows);
  const std::int64_t lines_of_b = whole_parts(columns.count, kernel_.columns);
  LineRange rows = steps;
  rows.line = place.row;
  rows.count = part.rows;
  for_each_depth(rows, blocks_.depth, [&](const LineRange& range) {
    pack_lines(o.a, range, kernel_.rows, own.panels + lines_of_a * (range.step - steps.step));
  });
  for (; place.column < end; place.column += blocks_.columns_at_a_time) {
    part.columns = std::min(blocks_.columns_at_a_time, end - place.column);
    part.stride = is_rounded() ? blocks_.columns_at_a_time : shape_.ldc;
    part.sums = is_rounded() ? own.sums : static_cast<float*>(o.c) + place.row * shape_.ldc + place.column;
    for_each_depth(steps, blocks_.depth, [&](const LineRange& range) {
      const std::int64_t before = range.step - steps.step;
      part.depth = range.depth;
      part.a = own.panels + lines_of_a * before;
      part.b = o.panels + lines_of_b * before + (place.column - columns.first) * range.depth;
      if (range.step == 0) {
        start_and_multiply(o, place, part, own.edge);
      } else {
        multiply_tiles(kernel_, part, own.edge);
      }
    });
    if (is_rounded()) round(o, place, part);
  }
}

// A few rows at a time, as the head of panel_product.h says.
void PanelProduct::start_and_multiply(const Operands& o, const Place& place, const PanelPart& whole,
                                      float* edge) const {
  if (kernel_.begin != nullptr && !shape_.bias && !shape_.accumulate) {
    PanelPart part = whole;
    part.begins = true;
    return multiply_tiles(kernel_, part, edge);
  }
  const std::int64_t rows = whole_parts(kernel_.started_rows, kernel_.rows);
  for (std::int64_t row = 0; row < whole.rows; row += rows) {
    PanelPart part = whole;
    part.rows = std::min(rows, whole.rows - row);
    part.a += row * part.depth;
    part.sums += row * part.stride;
    start(o, place, part);
    multiply_tiles(kernel_, part, edge);
  }
}

void PanelProduct::start(const Operands& o, const Place& place, const PanelPart& part) const {
  ProductShape sums = shape_;
  sums.m = part.rows;
  sums.n = part.columns;
  sums.ldc = part.stride;
  start_sum(sums, shape_.bias ? o.bias + place.column : nullptr, part.sums);
}

void PanelProduct::round(const Operands& o, const Place& place, const PanelPart& part) const {
  auto* const result = static_cast<bfloat16*>(o.c) + place.row * shape_.ldc + place.column;
  for (std::int64_t i = 0; i < part.rows; ++i)
    for (std::int64_t j = 0; j < part.columns; ++j)
      result[i * shape_.ldc + j] = to_bfloat16(part.sums[i * part.stride + j]);
}

}  // namespace phasor::kernels
