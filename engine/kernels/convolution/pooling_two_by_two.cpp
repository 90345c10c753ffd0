#include "engine/kernels/convolution/pooling_two_by_two.h"

#include <algorithm>

#include "engine/kernels/simd/vectors.h"

namespace phasor::kernels {

namespace {

using vectors::Floats;
using vectors::kFloats;
using vectors::kWidth;
using vectors::kWords;
namespace hn = vectors::hn;

inline constexpr hn::Rebind<std::uint8_t, decltype(kFloats)> kBytes;
using Bytes = hn::Vec<decltype(kBytes)>;
using Words = hn::Vec<decltype(kWords)>;

// A row of up to kWidth pairs of neighbours: the left ones and the right ones.
struct Pairs {
  Floats left, right;
};

template <class T>
HWY_INLINE Pairs load_pairs(const T* x, std::int64_t count, const T* end) {
  const std::int64_t behind = std::max<std::int64_t>(1, 2 * count - kWidth);
  const Floats low = vectors::load_first(x, std::min(2 * count, kWidth), end);
  const Floats high = 2 * count > kWidth ? vectors::load_first(x + kWidth, behind, end) : low;
  return {hn::ConcatEven(kFloats, high, low), hn::ConcatOdd(kFloats, high, low)};
}

// The largest so far, and which of their windows' elements these are.
struct Maxima {
  Floats values;
  Words indices;

  // Of equals the first stays. A NaN is larger than any number.
  HWY_INLINE void take(Floats element, std::uint32_t index) {
    const auto is_larger = hn::Or(hn::Lt(values, element), hn::IsNaN(element));
    values = hn::IfThenElse(is_larger, element, values);
    indices = hn::IfThenElse(hn::RebindMask(kWords, is_larger), hn::Set(kWords, index), indices);
  }
};

// Of words below 256. Not by TruncateTo, which in Highway 1.0.3 repeats bytes where there is AVX-512 VBMI.
HWY_INLINE Bytes to_bytes(Words words) {
  constexpr hn::RebindToSigned<decltype(kWords)> kSigned;
  return hn::DemoteTo(kBytes, hn::BitCast(kSigned, words));
}

void store_first(Bytes bytes, std::uint8_t* to, std::int64_t count) {
  if (count == kWidth) {
    hn::StoreU(bytes, kBytes, to);
    return;
  }
  std::uint8_t whole[kWidth];
  hn::StoreU(bytes, kBytes, whole);
  std::copy_n(whole, count, to);
}

// At least `count` of them, as vectors::load_first.
Bytes load_first(const std::uint8_t* from, std::int64_t count, const std::uint8_t* end) {
  if (end - from >= kWidth) return hn::LoadU(kBytes, from);
  std::uint8_t whole[kWidth] = {};
  std::copy_n(from, count, whole);
  return hn::LoadU(kBytes, whole);
}

// A row of y and of indices. x: the first of its two rows.
template <class T>
void maxima_of_row(const PoolingShape& shape, const T* x, const T* end_x, T* y, const T* end_y, std::uint8_t* indices) {
  const std::int64_t columns = shape.width / 2;
  const Words none = hn::Set(kWords, kNoGradient);
  for (std::int64_t j = 0; j < columns; j += kWidth) {
    const std::int64_t count = std::min(kWidth, columns - j);
    const auto [a, b] = load_pairs(x + 2 * j, count, end_x);
    const auto [c, d] = load_pairs(x + 2 * j + shape.width, count, end_x);
    Maxima most{a, hn::Zero(kWords)};
    most.take(b, 1);
    most.take(c, 2);
    most.take(d, 3);
    const auto is_nan = hn::IsNaN(most.values);
    auto has_none = is_nan;
    if (shape.relu) {
      const auto is_cut = hn::Le(most.values, hn::Zero(kFloats));
      most.values = hn::IfThenZeroElse(is_cut, most.values);
      has_none = hn::Or(is_nan, is_cut);
    }
    const Bytes bytes = to_bytes(hn::IfThenElse(hn::RebindMask(kWords, has_none), none, most.indices));
    const std::int64_t stored = end_y - (y + j) >= kWidth ? kWidth : count;
    vectors::store_first(most.values, y + j, stored);
    store_first(bytes, indices + j, stored);
  }
}

// Rows of results are written one after the other: what lies behind one may be written before, up to `end`.
template <class T>
HWY_INLINE void store_pairs(const Pairs& pairs, T* to, std::int64_t count, const T* end) {
  const bool has_room = end - to >= 2 * kWidth;
  if constexpr (std::is_same_v<T, float>) {
    if (has_room) return hn::StoreInterleaved2(pairs.left, pairs.right, kFloats, to);
  }
  float both[2 * kWidth];
  hn::StoreInterleaved2(pairs.left, pairs.right, kFloats, both);
  if (has_room) {
    vectors::store(vectors::load(both), to);
    vectors::store(vectors::load(both + kWidth), to + kWidth);
    return;
  }
  for (std::int64_t i = 0; i < 2 * count; ++i) to[i] = from_float<T>(both[i]);
}

// Of a piece.
template <class T>
struct Ends {
  const std::uint8_t* indices;
  const T *dy, *dx;
};

// Two rows of dx.
template <class T>
void gradient_of_row(const PoolingShape& shape, const std::uint8_t* indices, const T* dy, T* dx, const Ends<T>& ends) {
  const std::int64_t columns = shape.width / 2, width = shape.width;
  T* const below = dx + width;
  for (std::int64_t j = 0; j < columns; j += kWidth) {
    const std::int64_t count = std::min(kWidth, columns - j);
    const Words chosen = hn::PromoteTo(kWords, load_first(indices + j, count, ends.indices));
    const Floats gradient = vectors::load_first(dy + j, count, ends.dy);
    const auto part = [&](std::uint32_t index) {
      return hn::IfThenElseZero(hn::RebindMask(kFloats, hn::Eq(chosen, hn::Set(kWords, index))), gradient);
    };
    // Behind a row of several vectors, the row below has its first already.
    const bool is_one = columns <= kWidth;
    store_pairs({part(0), part(1)}, dx + 2 * j, count, is_one ? ends.dx : dx + 2 * (j + count));
    store_pairs({part(2), part(3)}, below + 2 * j, count, is_one ? ends.dx : below + 2 * (j + count));
  }
  if (width % 2 != 0) dx[width - 1] = below[width - 1] = T{};
}

}  // namespace

template <class T>
void two_by_two_maxima(const PoolingShape& shape, std::span<const T> x, std::span<T> y,
                       std::span<std::uint8_t> indices) {
  const std::int64_t rows = shape.height / 2, columns = shape.width / 2;
  for (std::int64_t p = 0; p < shape.planes; ++p)
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t first = (p * rows + i) * columns;
      maxima_of_row(shape, x.data() + (p * shape.height + 2 * i) * shape.width, x.data() + x.size(), y.data() + first,
                    y.data() + y.size(), indices.data() + first);
    }
}

template <class T>
void two_by_two_gradient(const PoolingShape& shape, std::span<const std::uint8_t> indices, std::span<const T> dy,
                         std::span<T> dx) {
  const Ends<T> ends{indices.data() + indices.size(), dy.data() + dy.size(), dx.data() + dx.size()};
  const std::int64_t rows = shape.height / 2, columns = shape.width / 2, height = shape.height;
  for (std::int64_t p = 0; p < shape.planes; ++p) {
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t out = (p * rows + i) * columns;
      gradient_of_row(shape, indices.data() + out, dy.data() + out, dx.data() + (p * height + 2 * i) * shape.width,
                      ends);
    }
    std::fill(dx.begin() + (p * height + 2 * rows) * shape.width, dx.begin() + (p + 1) * height * shape.width, T{});
  }
}

template void two_by_two_maxima(const PoolingShape&, std::span<const float>, std::span<float>, std::span<std::uint8_t>);
template void two_by_two_maxima(const PoolingShape&, std::span<const bfloat16>, std::span<bfloat16>,
                                std::span<std::uint8_t>);
template void two_by_two_gradient(const PoolingShape&, std::span<const std::uint8_t>, std::span<const float>,
                                  std::span<float>);
template void two_by_two_gradient(const PoolingShape&, std::span<const std::uint8_t>, std::span<const bfloat16>,
                                  std::span<bfloat16>);

}  // namespace phasor::kernels
