// Reference of engine/kernels/embedding.h.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

namespace phasor::reference {

// y[i] = table[ids[i]]
template <class T>
void embedding(std::int64_t columns, std::span<const T> table, std::span<const std::int32_t> ids, std::span<T> y) {
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::int64_t j = 0; j < columns; ++j) y[i * columns + j] = table[ids[i] * columns + j];
}

// y[i] = table[ids[i] - first] where there is such an entry, else as it was
template <class T>
void embedding_slice(std::int64_t columns, std::int64_t first, std::span<const T> table,
                     std::span<const std::int32_t> ids, std::span<T> y) {
  const std::int64_t entries = static_cast<std::int64_t>(table.size()) / columns;
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::int64_t j = 0; j < columns && ids[i] >= first && ids[i] < first + entries; ++j)
      y[i * columns + j] = table[(ids[i] - first) * columns + j];
}

// dtable[e - first] = sum of dy[i] over the i with ids[i] == e, but 0 for e == padding
template <class T>
void embedding_gradient(std::int64_t columns, std::int64_t padding, std::span<const std::int32_t> ids,
                        std::span<const T> dy, std::span<T> dtable, std::int64_t first = 0) {
  const std::int64_t entries = static_cast<std::int64_t>(dtable.size()) / columns;
  std::fill(dtable.begin(), dtable.end(), T{});
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (ids[i] == padding || ids[i] < first || ids[i] >= first + entries) continue;
    for (std::int64_t j = 0; j < columns; ++j) dtable[(ids[i] - first) * columns + j] += dy[i * columns + j];
  }
}

}  // namespace phasor::reference
