// Rows of a table by id, and the gradient of the table.
#pragma once

#include <cstdint>
#include <span>

namespace phasor::kernels {

// y[i] = table[ids[i]]; table [entries, columns], ids [n], y [n, columns]. An id outside the table is our own error:
// data are checked before they reach a kernel.
void embedding(std::int64_t columns, std::span<const float> table, std::span<const std::int32_t> ids,
               std::span<float> y);

// dtable[e] = sum of dy[i] over the i with ids[i] == e, in ascending order of i; 0 where there is none. The entry
// `padding` stands for no token and gets no gradient; -1: every entry does.
void embedding_gradient(std::int64_t columns, std::int64_t padding, std::span<const std::int32_t> ids,
                        std::span<const float> dy, std::span<float> dtable);

}  // namespace phasor::kernels
