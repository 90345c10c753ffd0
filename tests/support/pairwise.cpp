#include "tests/support/pairwise.h"

#include <optional>

namespace phasor::test {

namespace {

// Which pairs of values have stood together in no row yet.
class OpenPairs {
 public:
  explicit OpenPairs(std::span<const std::size_t> counts) {
    for (std::size_t count : counts) {
      begins_.push_back(values_);
      values_ += count;
    }
    open_.assign(values_ * values_, false);
    for (std::size_t a = 0; a < counts.size(); ++a) {
      for (std::size_t b = a + 1; b < counts.size(); ++b) {
        for (std::size_t i = 0; i < counts[a]; ++i) {
          for (std::size_t j = 0; j < counts[b]; ++j) open_[index({a, i}, {b, j})] = true;
        }
      }
    }
  }

  struct Value {
    std::size_t option, index;
  };
  bool is_open(Value a, Value b) const { return open_[a.option < b.option ? index(a, b) : index(b, a)]; }
  void close(Value a, Value b) { open_[index(a, b)] = false; }

 private:
  std::size_t index(Value a, Value b) const {
    return (begins_[a.option] + a.index) * values_ + begins_[b.option] + b.index;
  }

  std::vector<std::size_t> begins_;
  std::size_t values_ = 0;
  std::vector<bool> open_;
};

using Row = std::vector<std::optional<std::size_t>>;

// How many open pairs the value would close with those that the row has.
std::size_t gain(const OpenPairs& open, const Row& row, OpenPairs::Value value) {
  std::size_t pairs = 0;
  for (std::size_t option = 0; option < row.size(); ++option) {
    if (row[option]) pairs += open.is_open({option, *row[option]}, value);
  }
  return pairs;
}

// Gives every option that has none yet the value that closes the most pairs. `turn` is where the search begins, so that
// values take turns where none closes any.
void complete(const OpenPairs& open, std::span<const std::size_t> counts, std::size_t turn, Row& row) {
  for (std::size_t option = 0; option < row.size(); ++option) {
    if (row[option]) continue;
    std::size_t best = turn % counts[option];
    for (std::size_t i = 1; i < counts[option]; ++i) {
      const std::size_t other = (turn + i) % counts[option];
      if (gain(open, row, {option, other}) > gain(open, row, {option, best})) best = other;
    }
    row[option] = best;
  }
}

}  // namespace

std::vector<std::vector<std::size_t>> covering_rows(std::span<const std::size_t> counts) {
  OpenPairs open(counts);
  std::vector<std::vector<std::size_t>> rows;
  const auto add_row_with = [&](OpenPairs::Value a, OpenPairs::Value b) {
    Row row(counts.size());
    row[a.option] = a.index;
    row[b.option] = b.index;
    complete(open, counts, rows.size(), row);
    std::vector<std::size_t>& indices = rows.emplace_back();
    for (std::size_t i = 0; i < row.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) open.close({j, *row[j]}, {i, *row[i]});
      indices.push_back(*row[i]);
    }
  };
  for (std::size_t a = 0; a < counts.size(); ++a) {
    for (std::size_t b = a + 1; b < counts.size(); ++b) {
      for (std::size_t i = 0; i < counts[a]; ++i) {
        for (std::size_t j = 0; j < counts[b]; ++j) {
          if (open.is_open({a, i}, {b, j})) add_row_with({a, i}, {b, j});
        }
      }
    }
  }
  return rows;
}

}  // namespace phasor::test
