// Finds the longest of many keys at the beginning of a text, in time linear in what it matches.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace phasor::io {

// A double-array trie over bytes (Aoe, 1989). Immutable once built, so any number of threads may search it.
class ByteTrie {
 public:
  // A match of `bytes` bytes with the key of that index; bytes = 0 and key = -1 where no key fits.
  struct Match {
    std::int32_t key = -1;
    std::size_t bytes = 0;
  };

  static constexpr std::int32_t kRoot = 0;
  static constexpr std::int32_t kNowhere = -1;

  // Keys are distinct and not empty.
  explicit ByteTrie(std::span<const std::string> keys);

  // The node reached from `node` by `text`, or kNowhere.
  std::int32_t walk(std::int32_t node, std::string_view text) const;

  // The longest key that continues at `node` with a non-empty beginning of `text`.
  Match longest(std::int32_t node, std::string_view text) const {
    Match best;
    for (std::size_t i = 0; i < text.size(); ++i) {
      node = step(node, static_cast<unsigned char>(text[i]));
      if (node == kNowhere) break;
      if (nodes_[static_cast<std::size_t>(node)].key >= 0) best = {nodes_[static_cast<std::size_t>(node)].key, i + 1};
    }
    return best;
  }

 private:
  struct Node {
    std::int32_t base = 0;           // the child along byte b is node base + b ...
    std::int32_t parent = kNowhere;  // ... if that node's parent is this one
    std::int32_t key = -1;
  };

  std::int32_t step(std::int32_t node, unsigned char byte) const {
    const std::int32_t child = nodes_[static_cast<std::size_t>(node)].base + byte;
    return nodes_[static_cast<std::size_t>(child)].parent == node ? child : kNowhere;
  }
  std::int32_t find_base(const std::vector<unsigned char>& bytes);

  std::vector<Node> nodes_;
  std::int32_t first_free_ = 256;  // every slot from here on can be reached with a positive base
};

}  // namespace phasor::io
