// Rows of a table by id, and the gradient of the table. T is float or bfloat16 (see elementwise.h).
#pragma once

#include <cstdint>
#include <span>

namespace phasor::kernels {

// Which entries of a table of `whole` a part of it holds: those from `first` on. The default: the table itself.
struct TableSlice {
  std::int64_t first = 0;
  std::int64_t whole = 0;  // 0: as many as the slice has
};

// y[i] = table[ids[i]]; table [entries, columns], ids [n], y [n, columns]. An id outside the table is our own error:
// data are checked before they reach a kernel.
template <class T>
void embedding(std::int64_t columns, std::span<const T> table, std::span<const std::int32_t> ids, std::span<T> y);

// The same where `table` is a slice of the table: y[i] = table[ids[i] - first] for the ids whose entry is in the slice;
// the other y[i] stay as they are. Entries behind those of the whole are padding.
template <class T>
void embedding_slice(std::int64_t columns, TableSlice slice, std::span<const T> table,
                     std::span<const std::int32_t> ids, std::span<T> y);

// dtable[e] = sum of dy[i] over the i with ids[i] == e, in ascending order of i; 0 where there is none. The entry
// `padding` stands for no token and gets no gradient; -1: every entry does. Of a slice, e, ids and padding count from
// the whole table's first entry, and dtable holds the slice's entries.
template <class T>
void embedding_gradient(std::int64_t columns, std::int64_t padding, std::span<const std::int32_t> ids,
                        std::span<const T> dy, std::span<float> dtable, TableSlice slice = {});

// sum[e] += dtable[e] of embedding_gradient, without looking at entries whose id does not occur: for large tables. To
// the bit what add(sum, dtable) gives where sum holds no negative zero, and a sum that began at 0 never does.
// `scratch` holds embedding_gradient_add_scratch(ids.size()) elements and starts at a multiple of 8 bytes.
template <class T>
void embedding_gradient_add(std::int64_t columns, std::int64_t padding, std::span<const std::int32_t> ids,
                            std::span<const T> dy, std::span<float> sum, std::span<float> scratch,
                            TableSlice slice = {});
std::int64_t embedding_gradient_add_scratch(std::int64_t ids);

}  // namespace phasor::kernels
