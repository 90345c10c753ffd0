#include "engine/kernels/product/panels/panel_product.h"

#include <algorithm>

#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

namespace {

// Of b at once, where the result is rounded: weights of BERT base fit whole.
constexpr std::int64_t kMostFloatsOfB = 5 << 19;

std::int64_t bytes_of(std::int64_t floats) { return whole_lines(floats * static_cast<std::int64_t>(sizeof(float))); }

}  // namespace

PanelProduct::PanelProduct(std::string_view backend, const PanelKernel& kernel, const ProductShape& shape, int workers,
                           int threads)
    : backend_(backend),
      kernel_(kernel),
      shape_(shape),
      workers_(workers),
      blocks_(panel_blocks(kernel, shape, threads)) {}

// Whole calls of the kernel.
std::int64_t PanelProduct::columns_at_once() const {
  if (!is_rounded() || shape_.packed_b) return shape_.n;
  const std::int64_t most = kMostFloatsOfB / shape_.k / blocks_.columns_at_a_time * blocks_.columns_at_a_time;
  return std::min(shape_.n, std::max(blocks_.columns_at_a_time, most));
}

std::int64_t PanelProduct::shared_bytes() const {
  if (shape_.packed_b) return 0;
  return bytes_of(whole_parts(columns_at_once(), kernel_.columns) * depth_at_once() + kernel_.read_behind);
}

PanelProduct::WorkerBytes PanelProduct::worker_bytes() const {
  return {.panels = bytes_of(blocks_.rows * depth_of_block()),
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

}  // namespace phasor::kernels
