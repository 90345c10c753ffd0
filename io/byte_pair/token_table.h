// Finds the token that a whole piece of text is.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace phasor::io {

// A hash table of texts with open addressing. Immutable: any number of threads may search it.
class TokenTable {
 public:
  // The ids of `kept`, whose texts are not empty and distinct; tokens[id] is the text of one.
  TokenTable(std::span<const std::string> tokens, std::span<const std::int32_t> kept);

  // The id of the token that `piece` is, or -1.
  std::int32_t find(std::string_view piece) const;

 private:
  struct Slot {
    std::uint32_t sum = 0;               // a part of the text's hash
    std::int32_t id = -1;                // -1: the slot is empty
    std::uint32_t begin = 0, bytes = 0;  // in texts_
  };

  std::string texts_;
  std::vector<Slot> slots_;
};

}  // namespace phasor::io
