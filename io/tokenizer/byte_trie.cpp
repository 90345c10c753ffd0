#include "io/tokenizer/byte_trie.h"

#include <algorithm>
#include <numeric>

namespace phasor::io {

namespace {

constexpr std::int32_t kFanout = 256;  // a node may have a child by every byte

// Keys sorted[begin, end) share their first `depth` bytes, which lead to `node`.
struct Subtree {
  std::size_t begin, end, depth;
  std::int32_t node;
};

}  // namespace

ByteTrie::ByteTrie(std::span<const std::string> keys) {
  std::vector<std::int32_t> sorted(keys.size());
  std::iota(sorted.begin(), sorted.end(), 0);
  std::sort(sorted.begin(), sorted.end(), [&](std::int32_t a, std::int32_t b) { return keys[a] < keys[b]; });
  const auto byte_at = [&](std::size_t i, std::size_t depth) {
    return static_cast<unsigned char>(keys[sorted[i]][depth]);
  };

  // There is a slot for every byte behind every base, so that step() never leaves the array.
  nodes_.resize(kFanout);
  nodes_[kRoot].parent = kRoot;
  std::vector<Subtree> open = {{0, keys.size(), 0, kRoot}};
  std::vector<unsigned char> bytes;
  while (!open.empty()) {
    auto [begin, end, depth, node] = open.back();
    open.pop_back();
    if (begin < end && keys[sorted[begin]].size() == depth) nodes_[node].key = sorted[begin++];
    bytes.clear();
    for (std::size_t i = begin; i < end; ++i) {
      if (bytes.empty() || bytes.back() != byte_at(i, depth)) bytes.push_back(byte_at(i, depth));
    }
    if (bytes.empty()) continue;
    const std::int32_t base = find_base(bytes);
    nodes_[node].base = base;
    for (const unsigned char byte : bytes) {
      const std::size_t first = begin;
      while (begin < end && byte_at(begin, depth) == byte) ++begin;
      nodes_[base + byte].parent = node;
      open.push_back({first, begin, depth + 1, base + byte});
    }
  }
}

// The first base at which the slots of all `bytes` (ascending) are free.
std::int32_t ByteTrie::find_base(const std::vector<unsigned char>& bytes) {
  const auto is_free = [&](std::int32_t slot) {
    return slot >= static_cast<std::int32_t>(nodes_.size()) || nodes_[slot].parent == kNowhere;
  };
  while (!is_free(first_free_)) ++first_free_;
  std::int32_t base = first_free_ - bytes.front();
  while (!std::all_of(bytes.begin(), bytes.end(), [&](unsigned char byte) { return is_free(base + byte); })) ++base;
  nodes_.resize(std::max<std::size_t>(nodes_.size(), static_cast<std::size_t>(base) + kFanout));
  return base;
}

std::int32_t ByteTrie::walk(std::int32_t node, std::string_view text) const {
  for (const char byte : text) {
    node = step(node, static_cast<unsigned char>(byte));
    if (node == kNowhere) break;
  }
  return node;
}

}  // namespace phasor::io
