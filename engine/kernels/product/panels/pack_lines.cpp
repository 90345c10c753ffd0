#include "engine/kernels/product/panels/pack_lines.h"

#include "engine/base/bfloat16.h"
#include "engine/kernels/product/panels/copy_side_by_side.h"
#include "engine/kernels/product/panels/turn_one_after_another.h"

namespace phasor::kernels {

namespace {

// The last panel, of as many lines as there are.
template <class T>
void pack_last(const Lines& lines, std::int64_t count, std::int64_t depth, std::int64_t tile, const T* from,
               float* panel) {
  for (std::int64_t step = 0; step < depth; ++step)
    for (std::int64_t i = 0; i < tile; ++i) {
      const std::int64_t place = lines.side_by_side ? step * lines.stride + i : i * lines.stride + step;
      panel[step * tile + i] = i < count ? to_float(from[place]) : 0.0f;
    }
}

template <class T>
void pack(const Lines& lines, const LineRange& r, std::int64_t tile, float* panels) {
  const std::int64_t whole = r.count / tile * tile, next = lines.side_by_side ? 1 : lines.stride;
  const std::int64_t first = lines.side_by_side ? r.step * lines.stride + r.line : r.line * lines.stride + r.step;
  const T* const from = static_cast<const T*>(lines.data) + first;
  const CopiedLines<T> copied{from, lines.stride, whole, r.depth, tile, panels};
  if (lines.side_by_side) {
    SideBySide(copied).copy();
  } else {
    OneAfterAnother(copied).turn();
  }
  if (whole < r.count) pack_last(lines, r.count - whole, r.depth, tile, from + whole * next, panels + whole * r.depth);
}

}  // namespace

void pack_lines(const Lines& from, const LineRange& range, std::int64_t tile, float* panels) {
  if (from.type == DType::bf16) {
    pack<bfloat16>(from, range, tile, panels);
  } else {
    pack<float>(from, range, tile, panels);
  }
}

}  // namespace phasor::kernels
