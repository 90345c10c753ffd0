#include "engine/kernels/product/panels/panel_product.h"

#include <algorithm>
#include <utility>

#include "engine/base/bfloat16.h"
#include "engine/base/parallel.h"
#include "engine/kernels/product/product_backends.h"
#include "engine/kernels/product/start_sum.h"

namespace phasor::kernels {

namespace {

// Of b at once, where the result is rounded: weights of BERT base fit whole.
constexpr std::int64_t kMostFloatsOfB = 5 << 19;

std::int64_t bytes_of(std::int64_t floats) { return whole_lines(floats * static_cast<std::int64_t>(sizeof(float))); }

}  // namespace

PanelProduct::PanelProduct(std::string_view backend, const PanelKernel& kernel, const ProductShape& shape, int workers)
    : backend_(backend), kernel_(kernel), shape_(shape), workers_(workers), blocks_(panel_blocks(kernel, shape)) {}

// Whole calls of the kernel.
std::int64_t PanelProduct::columns_at_once() const {
  if (!is_rounded() || shape_.packed_b) return shape_.n;
  const std::int64_t most = kMostFloatsOfB / shape_.k / blocks_.columns_at_a_time * blocks_.columns_at_a_time;
  return std::min(shape_.n, std::max(blocks_.columns_at_a_time, most));
}

std::int64_t PanelProduct::shared_bytes() const {
  if (shape_.packed_b) return 0;
  return bytes_of(whole_parts(columns_at_once(), kernel_.columns) * depth_at_once());
}

PanelProduct::WorkerBytes PanelProduct::worker_bytes() const {
  return {.panels = bytes_of(blocks_.rows * depth_at_once()),
          .edge = bytes_of(std::max(kernel_.rows * blocks_.columns_at_a_time, blocks_.rows * kernel_.columns)),
          .sums = is_rounded() ? bytes_of(blocks_.rows * blocks_.columns_at_a_time) : 0};
}

PanelProduct::Operands PanelProduct::operands(const void* a, const void* b, const float* bias, void* c,
                                              std::byte* scratch) const {
  return {.a = {.data = a, .type = shape_.operands, .stride = shape_.lda, .side_by_side = shape_.transpose_a},
          .b = columns_of(shape_, b),
          .panels = shape_.packed_b ? static_cast<const float*>(b) : reinterpret_cast<const float*>(scratch),
          .bias = bias,
          .c = c,
          .scratch = scratch};
}

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
    for_each_depth({.depth = shape_.k}, depth_at_once(), [&](const LineRange& steps) {
      for_each(shape_.packed_b ? 0 : pieces(columns.count, lines), [&](std::int64_t i, int) {
        LineRange range = steps;
        range.line = i * lines;
        range.count = std::min(lines, columns.count - range.line);
        pack_columns(o.b, columns, range, kernel_, blocks_.depth, reinterpret_cast<float*>(o.scratch));
      });
      for_each(pieces(shape_.m, blocks_.rows) * pieces(columns.count, blocks_.columns),
               [&](std::int64_t block, int worker) {
                 std::byte* const own = o.scratch + shared_bytes() + worker * bytes.whole();
                 run_block(o, columns, block, steps,
                           {.panels = reinterpret_cast<float*>(own),
                            .edge = reinterpret_cast<float*>(own + bytes.panels),
                            .sums = reinterpret_cast<float*>(own + bytes.panels + bytes.edge)});
               });
    });
  }
}

void PanelProduct::run_block(const Operands& o, const Columns& columns, std::int64_t block, const LineRange& steps,
                             const WorkerScratch& own) const {
  const std::int64_t across = pieces(columns.count, blocks_.columns);
  Place place{.row = block / across * blocks_.rows, .column = columns.first + block % across * blocks_.columns};
  const std::int64_t end = std::min(place.column + blocks_.columns, columns.first + columns.count);
  PanelPart part{.rows = std::min(blocks_.rows, shape_.m - place.row)};
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
    if (steps.step == 0) start(o, place, part);
    for_each_depth(steps, blocks_.depth, [&](const LineRange& range) {
      const std::int64_t before = range.step - steps.step;
      part.depth = range.depth;
      part.a = own.panels + lines_of_a * before;
      part.b = o.panels + lines_of_b * before + (place.column - columns.first) * range.depth;
      multiply_tiles(kernel_, part, own.edge);
    });
    if (is_rounded()) round(o, place, part);
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
