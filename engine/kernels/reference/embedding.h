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

// dtable[e] = sum of dy[i] over the i with ids[i] == e, but 0 for e == padding
template <class T>
void embedding_gradient(std::int64_t columns, std::int64_t padding, std::span<const std::int32_t> ids,
                        std::span<const T> dy, std::span<T> dtable) {
  std::fill(dtable.begin(), dtable.end(), T{});
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (std::int64_t j = 0; j < columns && ids[i] != padding; ++j) dtable[ids[i] * columns + j] += dy[i * columns + j];
}

}  // namespace phasor::reference
