#include "tests/fuzz/mutation.h"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>

#include "engine/base/random.h"
#include "tests/fuzz/fuzz_target.h"

namespace phasor::fuzz {

namespace {

// Large seeds take long to read, and most of what is in them repeats itself: of so many draws one is heeded.
constexpr std::size_t kLargeSeed = 1 << 14, kLargeSeedsOneIn = 1024;

// The draws of one input.
class Draws {
 public:
  Draws(std::uint64_t seed, std::uint64_t index) : seed_(seed), index_(index) {}

  std::uint64_t bits() {
    const auto low = static_cast<std::uint32_t>(index_), high = static_cast<std::uint32_t>(index_ >> 32);
    const RandomBlock block = random_block(seed_, {low, high, next_++, 0});
    return std::uint64_t{block[0]} << 32 | block[1];
  }
  std::size_t below(std::size_t end) { return end == 0 ? 0 : bits() % end; }
  // Short lengths are likelier than long ones.
  std::size_t length(std::size_t most) { return std::min(most, 1 + below(std::size_t{1} << below(12))); }

 private:
  std::uint64_t seed_, index_;
  std::uint32_t next_ = 0;
};

// A whole number that readers have to think about, or one near the number that stands there.
std::uint64_t number_like(std::uint64_t old, Draws& draws) {
  switch (draws.below(4)) {
    case 0:
      return std::uint64_t{1} << draws.below(64);
    case 1:
      return ~std::uint64_t{0} >> draws.below(64);
    case 2:
      return old + draws.below(9) - 4;
    default:
      return draws.bits() >> draws.below(64);
  }
}

void change_number(std::string& input, Draws& draws) {
  const std::size_t bytes = std::size_t{1} << draws.below(4);
  if (input.size() < bytes) return;
  char* place = input.data() + draws.below(input.size() - bytes + 1);
  std::uint64_t value = 0;
  std::memcpy(&value, place, bytes);  // little-endian, as the formats are
  value = number_like(value, draws);
  std::memcpy(place, &value, bytes);
}

// The digits of one number of a text, where there is one behind a place drawn by chance.
void change_digits(std::string& input, Draws& draws) {
  const char* digits = "0123456789";
  const std::size_t begin = input.find_first_of(digits, draws.below(input.size()));
  if (begin == input.npos) return;
  const std::size_t end = std::min(input.find_first_not_of(digits, begin), input.size());
  const std::uint64_t old = std::strtoull(input.c_str() + begin, nullptr, 10);
  const std::string sign = draws.below(4) == 0 ? "-" : "";
  input.replace(begin, end - begin, fmt::format("{}{}", sign, number_like(old, draws)));
}

void change_once(std::string& input, std::span<const std::string> seeds, std::span<const std::string> words,
                 Draws& draws) {
  const std::size_t place = draws.below(input.size() + 1), rest = input.size() - place;
  switch (draws.below(9)) {
    case 0:
      if (rest > 0) input[place] = static_cast<char>(input[place] ^ (1 << draws.below(8)));
      return;
    case 1:
      if (rest > 0) input[place] = static_cast<char>(draws.bits());
      return;
    case 2:
      return change_number(input, draws);
    case 3:
      return change_digits(input, draws);
    case 4:
      input.erase(place, draws.below(16) == 0 ? rest : draws.length(rest));
      return;
    case 5: {
      const std::string piece = input.substr(place, draws.length(rest));
      const std::size_t times = 1 + draws.length(8), to = draws.below(input.size() + 1);
      for (std::size_t i = 0; i < times; ++i) input.insert(to, piece);
      return;
    }
    case 6: {
      const std::string& other = seeds[draws.below(seeds.size())];
      const std::size_t from = draws.below(other.size());
      const std::string piece = other.substr(from, draws.length(other.size() - from));
      input.replace(place, draws.below(2) == 0 ? 0 : std::min(rest, piece.size()), piece);
      return;
    }
    default: {
      const std::string& word = words[draws.below(words.size())];
      input.replace(place, draws.below(2) == 0 ? 0 : std::min(rest, word.size()), word);
    }
  }
}

}  // namespace

std::string make_input(std::span<const std::string> seeds, std::span<const std::string> words, std::uint64_t seed,
                       std::uint64_t index) {
  if (index < seeds.size()) return seeds[index];
  Draws draws(seed, index);
  std::size_t from = draws.below(seeds.size());
  while (seeds[from].size() > kLargeSeed && draws.below(kLargeSeedsOneIn) != 0) from = draws.below(seeds.size());
  std::string input = seeds[from];
  const std::size_t changes = std::size_t{1} << draws.below(4);
  for (std::size_t i = 0; i < changes; ++i) change_once(input, seeds, words, draws);
  if (input.size() > kMostInputBytes) input.resize(kMostInputBytes);
  return input;
}

}  // namespace phasor::fuzz
