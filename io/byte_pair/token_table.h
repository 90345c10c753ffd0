// Finds the token that a whole piece of text is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace phasor::io {

// A hash table of short texts with open addressing, which a search leaves after one line of the cache, nearly always.
// Immutable: any number of threads may search it.
class TokenTable {
 public:
  static constexpr std::size_t kMostBytes = 16;  // longer pieces are rare, and it is no fault not to find them

  // The ids of `kept`, whose texts are not empty and distinct; tokens[id] is the text of one.
  TokenTable(std::span<const std::string> tokens, std::span<const std::int32_t> kept);

  // The id of the token that `piece`, which is not empty, is; -1 if it is none, or a long one.
  std::int32_t find(std::string_view piece) const;

 private:
  // Two words that together hold all bytes of the text, some of them twice: texts of the same length have the same
  // words only if they are the same.
  struct Key {
    std::uint64_t first = 0, last = 0;
    std::uint32_t bytes = 0;

    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Slot {
    Key key;
    std::int32_t id = -1;  // -1: the slot is empty
  };

  static Key key_of(std::string_view text);
  std::size_t place_of(const Key& key) const;

  std::vector<Slot> slots_;
  int shift_;
};

}  // namespace phasor::io
