#include "engine/kernels/pooling_two_by_two.h"

#include <algorithm>

#include "engine/kernels/simd/vectors.h"

namespace phasor::kernels {

namespace {

using vectors::Floats;
using vectors::kFloats;
using vectors::kWidth;
namespace hn = vectors::hn;

// A row of up to kWidth pairs of neighbours: the left ones and the right ones.
struct Pairs {
  Floats left, right;
};

template <class T>
Pairs load_pairs(const T* x, std::int64_t count, const T* end) {
  const std::int64_t behind = std::max<std::int64_t>(1, 2 * count - kWidth);
  const Floats low = vectors::load_first(x, std::min(2 * count, kWidth), end);
  const Floats high = 2 * count > kWidth ? vectors::load_first(x + kWidth, behind, end) : low;
  return {hn::ConcatEven(kFloats, high, low), hn::ConcatOdd(kFloats, high, low)};
}

// Of equals the first. A NaN is larger than any number.
Floats larger(Floats first, Floats second) {
  return hn::IfThenElse(hn::Or(hn::Lt(first, second), hn::IsNaN(second)), second, first);
}

// Rows of results are written one after the other: what lies behind one may be written before, up to `end`.
template <class T>
void store_pairs(const Pairs& pairs, T* to, std::int64_t count, const T* end) {
  float both[2 * kWidth];
  hn::StoreInterleaved2(pairs.left, pairs.right, kFloats, both);
  if (end - to >= 2 * kWidth) {
    vectors::store(vectors::load(both), to);
    vectors::store(vectors::load(both + kWidth), to + kWidth);
    return;
  }
  for (std::int64_t i = 0; i < 2 * count; ++i) to[i] = from_float<T>(both[i]);
}

template <class T>
struct Ends {
  const T *x, *y, *dy, *dx;
};

// A row of y. x: the first of its two rows.
template <class T>
void maxima_of_row(const PoolingShape& shape, const T* x, const T* end_x, T* y, const T* end_y) {
  const std::int64_t columns = shape.width / 2;
  for (std::int64_t j = 0; j < columns; j += kWidth) {
    const std::int64_t count = std::min(kWidth, columns - j);
    const auto [a, b] = load_pairs(x + 2 * j, count, end_x);
    const auto [c, d] = load_pairs(x + 2 * j + shape.width, count, end_x);
    Floats most = larger(larger(larger(a, b), c), d);
    if (shape.relu) most = larger(hn::Zero(kFloats), most);
    vectors::store_first(most, y + j, end_y - (y + j) >= kWidth ? kWidth : count);
  }
}

// Two rows of dx.
template <class T>
void gradient_of_row(const PoolingShape& shape, const T* x, const T* y, const T* dy, T* dx, const Ends<T>& ends) {
  const std::int64_t columns = shape.width / 2, width = shape.width;
  T* const below = dx + width;
  for (std::int64_t j = 0; j < columns; j += kWidth) {
    const std::int64_t count = std::min(kWidth, columns - j);
    const Floats most = vectors::load_first(y + j, count, ends.y);
    Floats gradient = vectors::load_first(dy + j, count, ends.dy);
    if (shape.relu) gradient = hn::IfThenZeroElse(hn::Le(most, hn::Zero(kFloats)), gradient);
    // What one element takes is left to none behind it.
    const auto take = [&](Floats element) {
      const auto is_first = hn::Eq(element, most);
      const Floats taken = hn::IfThenElseZero(is_first, gradient);
      gradient = hn::IfThenZeroElse(is_first, gradient);
      return taken;
    };
    const auto [a, b] = load_pairs(x + 2 * j, count, ends.x);
    const auto [c, d] = load_pairs(x + 2 * j + width, count, ends.x);
    const Floats da = take(a), db = take(b), dc = take(c), dd = take(d);
    // Behind a row of several vectors, the row below has its first already.
    const bool is_one = columns <= kWidth;
    store_pairs({da, db}, dx + 2 * j, count, is_one ? ends.dx : dx + 2 * (j + count));
    store_pairs({dc, dd}, below + 2 * j, count, is_one ? ends.dx : below + 2 * (j + count));
  }
  if (width % 2 != 0) dx[width - 1] = below[width - 1] = T{};
}

}  // namespace

template <class T>
void two_by_two_maxima(const PoolingShape& shape, std::span<const T> x, std::span<T> y) {
  const std::int64_t rows = shape.height / 2, columns = shape.width / 2;
  for (std::int64_t p = 0; p < shape.planes; ++p)
    for (std::int64_t i = 0; i < rows; ++i)
      maxima_of_row(shape, x.data() + (p * shape.height + 2 * i) * shape.width, x.data() + x.size(),
                    y.data() + (p * rows + i) * columns, y.data() + y.size());
}

template <class T>
void two_by_two_gradient(const PoolingShape& shape, std::span<const T> x, std::span<const T> y, std::span<const T> dy,
                         std::span<T> dx) {
  const Ends<T> ends{x.data() + x.size(), y.data() + y.size(), dy.data() + dy.size(), dx.data() + dx.size()};
  const std::int64_t rows = shape.height / 2, columns = shape.width / 2, height = shape.height;
  for (std::int64_t p = 0; p < shape.planes; ++p) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t first = (p * height + 2 * i) * shape.width, out = (p * rows + i) * columns;
      gradient_of_row(shape, x.data() + first, y.data() + out, dy.data() + out, dx.data() + first, ends);
    }
    std::fill(dx.begin() + (p * height + 2 * rows) * shape.width, dx.begin() + (p + 1) * height * shape.width, T{});
  }
}

template void two_by_two_maxima(const PoolingShape&, std::span<const float>, std::span<float>);
template void two_by_two_maxima(const PoolingShape&, std::span<const bfloat16>, std::span<bfloat16>);
template void two_by_two_gradient(const PoolingShape&, std::span<const float>, std::span<const float>,
                                  std::span<const float>, std::span<float>);
template void two_by_two_gradient(const PoolingShape&, std::span<const bfloat16>, std::span<const bfloat16>,
                                  std::span<const bfloat16>, std::span<bfloat16>);

}  // namespace phasor::kernels
