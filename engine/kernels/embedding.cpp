#include "engine/kernels/embedding.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/kernels/pieces.h"

namespace phasor::kernels {

namespace {

void ensure_inside(std::span<const std::int32_t> ids, std::int64_t entries) {
  const auto outside =
      std::count_if(ids.begin(), ids.end(), [entries](std::int32_t id) { return id < 0 || id >= entries; });
  ensure(outside == 0, "embedding: {} of {} ids are outside the table of {} entries", outside, ids.size(), entries);
}

}  // namespace

void embedding(std::int64_t columns, std::span<const float> table, std::span<const std::int32_t> ids,
               std::span<float> y) {
  if (y.empty()) return;
  ensure_inside(ids, static_cast<std::int64_t>(table.size()) / columns);
  const auto rows = static_cast<std::int64_t>(ids.size());
  parallel_for_ranges(rows, row_grain(columns), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i)
      std::copy_n(table.data() + ids[i] * columns, columns, y.data() + i * columns);
  });
}

// A piece owns a range of the table's entries and looks through all ids for its own.
void embedding_gradient(std::int64_t columns, std::int64_t padding, std::span<const std::int32_t> ids,
                        std::span<const float> dy, std::span<float> dtable) {
  if (dtable.empty()) return;
  constexpr std::int64_t kMostPieces = 64;
  const std::int64_t entries = static_cast<std::int64_t>(dtable.size()) / columns;
  const auto rows = static_cast<std::int64_t>(ids.size());
  ensure_inside(ids, entries);
  const auto add_row = [columns](const float* row, float* sum) {
#pragma GCC ivdep
    for (std::int64_t j = 0; j < columns; ++j) sum[j] += row[j];
  };
  parallel_for_ranges(entries, (entries + kMostPieces - 1) / kMostPieces, [&](std::int64_t begin, std::int64_t end) {
    std::fill(dtable.begin() + begin * columns, dtable.begin() + end * columns, 0.0f);
    for (std::int64_t i = 0; i < rows; ++i)
      if (ids[i] >= begin && ids[i] < end && ids[i] != padding)
        add_row(dy.data() + i * columns, dtable.data() + ids[i] * columns);
  });
}

}  // namespace phasor::kernels
