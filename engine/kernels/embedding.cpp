#include "engine/kernels/embedding.h"

#include <algorithm>
#include <memory>

#include "engine/base/bfloat16.h"
#include "engine/base/error.h"
#include "engine/kernels/simd/pieces.h"

namespace phasor::kernels {

namespace {

// `entries` are the table's or, where it is a slice, the slice's.
void ensure_inside(std::span<const std::int32_t> ids, std::int64_t entries, TableSlice slice = {}) {
  if (slice.whole > 0) entries = slice.whole;
  const auto outside =
      std::count_if(ids.begin(), ids.end(), [entries](std::int32_t id) { return id < 0 || id >= entries; });
  ensure(outside == 0, "embedding: {} of {} ids are outside the table of {} entries", outside, ids.size(), entries);
}

// sum += row
template <class T>
void add_row(const T* row, std::int64_t columns, float* sum) {
#pragma GCC ivdep
  for (std::int64_t j = 0; j < columns; ++j) sum[j] += to_float(row[j]);
}

// An id in the upper half, its place among the ids in the lower: sorted, they are runs of equal ids in ascending order.
using Occurrence = std::uint64_t;

constexpr Occurrence occurrence(std::int64_t id, std::int64_t i) {
  return static_cast<Occurrence>(id) << 32 | static_cast<Occurrence>(i);
}
constexpr std::int64_t id_of(Occurrence x) { return static_cast<std::int64_t>(x >> 32); }
constexpr std::int64_t place_of(Occurrence x) { return static_cast<std::int64_t>(x & 0xFFFFFFFF); }

// Those of the ids in [first, first + entries) but for the padding, less `first`, sorted, in `scratch`.
std::span<const Occurrence> sorted_occurrences(std::span<const std::int32_t> ids, std::int64_t padding,
                                               std::int64_t first, std::int64_t entries, std::span<float> scratch) {
  auto* begin = reinterpret_cast<Occurrence*>(scratch.data());
  Occurrence* end = begin;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const std::int64_t entry = ids[i] - first;
    if (ids[i] == padding || entry < 0 || entry >= entries) continue;
    std::construct_at(end++, occurrence(entry, static_cast<std::int64_t>(i)));
  }
  std::sort(begin, end);
  return {begin, end};
}

}  // namespace

template <class T>
void embedding(std::int64_t columns, std::span<const T> table, std::span<const std::int32_t> ids, std::span<T> y) {
  if (y.empty()) return;
  ensure_inside(ids, static_cast<std::int64_t>(table.size()) / columns);
  const auto rows = static_cast<std::int64_t>(ids.size());
  parallel_for_ranges(rows, row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      std::copy_n(table.data() + ids[i] * columns, columns, y.data() + i * columns);
  });
}

template <class T>
void embedding_slice(std::int64_t columns, TableSlice slice, std::span<const T> table,
                     std::span<const std::int32_t> ids, std::span<T> y) {
  if (y.empty()) return;
  const std::int64_t entries = static_cast<std::int64_t>(table.size()) / columns;
  ensure_inside(ids, entries, slice);
  const auto rows = static_cast<std::int64_t>(ids.size());
  parallel_for_ranges(rows, row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::int64_t entry = ids[i] - slice.first;
      if (entry >= 0 && entry < entries) std::copy_n(table.data() + entry * columns, columns, y.data() + i * columns);
    }
  });
}

// A piece owns a range of the table's entries and looks through all ids for its own.
template <class T>
void embedding_gradient(std::int64_t columns, std::int64_t padding, std::span<const std::int32_t> ids,
                        std::span<const T> dy, std::span<float> dtable, TableSlice slice) {
  if (dtable.empty()) return;
  constexpr std::int64_t kMostPieces = 64;
  const std::int64_t entries = static_cast<std::int64_t>(dtable.size()) / columns;
  const auto rows = static_cast<std::int64_t>(ids.size());
  ensure_inside(ids, entries, slice);
  parallel_for_ranges(entries, (entries + kMostPieces - 1) / kMostPieces, [&](std::int64_t begin, std::int64_t end) {
    std::fill(dtable.begin() + begin * columns, dtable.begin() + end * columns, 0.0f);
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t entry = ids[i] - slice.first;
      if (entry >= begin && entry < end && ids[i] != padding)
        add_row(dy.data() + i * columns, columns, dtable.data() + entry * columns);
    }
  });
}

// A piece is a strip of columns and a part of the sorted occurrences: it sums the runs that begin in its part.
template <class T>
void embedding_gradient_add(std::int64_t columns, std::int64_t padding, std::span<const std::int32_t> ids,
                            std::span<const T> dy, std::span<float> sum, std::span<float> scratch, TableSlice slice) {
  if (ids.empty() || columns == 0) return;
  constexpr std::int64_t kPart = 32, kStrip = 256;
  const std::int64_t entries = static_cast<std::int64_t>(sum.size()) / columns;
  ensure_inside(ids, entries, slice);
  const std::span<const Occurrence> sorted = sorted_occurrences(ids, padding, slice.first, entries, scratch);
  const auto count = static_cast<std::int64_t>(sorted.size());
  const std::int64_t parts = (count + kPart - 1) / kPart, strips = (columns + kStrip - 1) / kStrip;
  parallel_for(parts * strips, [&](std::int64_t piece) {
    const std::int64_t left = piece % strips * kStrip, width = std::min(kStrip, columns - left);
    const std::int64_t begin = piece / strips * kPart, end = std::min(begin + kPart, count);
    std::int64_t i = begin;
    while (i > 0 && i < end && id_of(sorted[i]) == id_of(sorted[i - 1])) ++i;
    while (i < end) {
      const std::int64_t id = id_of(sorted[i]);
      float total[kStrip] = {};
      for (; i < count && id_of(sorted[i]) == id; ++i)
        add_row(dy.data() + place_of(sorted[i]) * columns + left, width, total);
      add_row(total, width, sum.data() + id * columns + left);
    }
  });
}

std::int64_t embedding_gradient_add_scratch(std::int64_t ids) {
  return ids * static_cast<std::int64_t>(sizeof(Occurrence) / sizeof(float));
}

template void embedding(std::int64_t, std::span<const float>, std::span<const std::int32_t>, std::span<float>);
template void embedding(std::int64_t, std::span<const bfloat16>, std::span<const std::int32_t>, std::span<bfloat16>);
template void embedding_slice(std::int64_t, TableSlice, std::span<const float>, std::span<const std::int32_t>,
                              std::span<float>);
template void embedding_slice(std::int64_t, TableSlice, std::span<const bfloat16>, std::span<const std::int32_t>,
                              std::span<bfloat16>);
template void embedding_gradient(std::int64_t, std::int64_t, std::span<const std::int32_t>, std::span<const float>,
                                 std::span<float>, TableSlice);
template void embedding_gradient(std::int64_t, std::int64_t, std::span<const std::int32_t>, std::span<const bfloat16>,
                                 std::span<float>, TableSlice);
template void embedding_gradient_add(std::int64_t, std::int64_t, std::span<const std::int32_t>, std::span<const float>,
                                     std::span<float>, std::span<float>, TableSlice);
template void embedding_gradient_add(std::int64_t, std::int64_t, std::span<const std::int32_t>,
                                     std::span<const bfloat16>, std::span<float>, std::span<float>, TableSlice);

}  // namespace phasor::kernels
