#include "models/tasks/squad_batch.h"

#include <algorithm>
#include <numeric>

#include "engine/base/error.h"

namespace phasor::tasks {

namespace {

// [batch, sequence] elements as rows; no rows for an empty list.
template <class T>
std::span<T> row_of(std::span<T> list, std::int64_t row, std::int64_t rows) {
  const auto sequence = static_cast<std::int64_t>(list.size()) / rows;
  return list.subspan(static_cast<std::size_t>(row * sequence), static_cast<std::size_t>(sequence));
}

template <class T>
void fill_parts(std::span<T> row, std::int64_t first_end, T first, std::int64_t second_end, T second, T rest) {
  if (row.empty()) return;
  ensure(second_end <= std::ssize(row), "squad: a feature of {} tokens in a row of {}", second_end, row.size());
  std::fill(row.begin(), row.begin() + first_end, first);
  std::fill(row.begin() + first_end, row.begin() + second_end, second);
  std::fill(row.begin() + second_end, row.end(), rest);
}

}  // namespace

void fill_squad_batch(const SquadFeatures& features, std::span<const std::int64_t> chosen, std::int32_t pad,
                      const SquadBatch& batch) {
  const std::int64_t rows = std::ssize(chosen);
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::int64_t feature = chosen[row];
    const std::int64_t length = features.length(feature);
    const std::span tokens = row_of(batch.tokens, row, rows);
    fill_parts(tokens, 0, pad, length, pad, pad);
    if (!tokens.empty()) std::ranges::copy(features.tokens_of(feature), tokens.begin());
    fill_parts(row_of(batch.token_types, row, rows), features.context_begins[feature], 0, length, 1, 0);
    fill_parts(row_of(batch.mask, row, rows), length, 0.0F, length, 0.0F, kMaskedScore);
    const std::span positions = row_of(batch.positions, row, rows);
    std::iota(positions.begin(), positions.end(), 0);
    if (!batch.starts.empty()) batch.starts[row] = features.starts[feature];
    if (!batch.ends.empty()) batch.ends[row] = features.ends[feature];
  }
}

}  // namespace phasor::tasks
