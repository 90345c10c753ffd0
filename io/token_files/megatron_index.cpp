#include "io/token_files/megatron_index.h"

#include <array>
#include <cstring>
#include <optional>
#include <string_view>

namespace phasor::io {

namespace {

constexpr std::string_view kMagic{"MMIDIDX\0\0", 9};
constexpr std::size_t kIndexHeaderBytes = kMagic.size() + 8 + 1 + 8 + 8;

std::optional<TokenType> type_of(std::uint8_t code) {
  constexpr std::array<std::optional<TokenType>, 9> kTypes = {std::nullopt,   TokenType::u8,  TokenType::i8,
                                                              TokenType::i16, TokenType::i32, TokenType::i64,
                                                              std::nullopt,   std::nullopt,   TokenType::u16};
  return code < kTypes.size() ? kTypes[code] : std::nullopt;
}

// Numbers one behind the other, at any address.
class NumberReader {
 public:
  explicit NumberReader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class T>
  T next() {
    T value;
    std::memcpy(&value, bytes_.data(), sizeof(T));
    bytes_ = bytes_.subspan(sizeof(T));
    return value;
  }
  // `count` of so many bytes each.
  NumberReader list(std::uint64_t count, std::size_t bytes_of_each) {
    const std::span<const std::byte> all = bytes_.first(count * bytes_of_each);
    bytes_ = bytes_.subspan(all.size());
    return NumberReader(all);
  }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
};

void check_size(const std::string& path, std::uint64_t found, std::uint64_t sequences, std::uint64_t documents) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 48;  // so that no sum overflows
  const bool countable = sequences < kMost && documents < kMost;
  const std::uint64_t expected = countable ? sequences * (4 + 8) + documents * 8 : 0;
  check(countable && (found == expected || found == expected + sequences),
        "tokens: '{}' has {} bytes behind its header, which counts {} sequences and {} documents. Is it all of the "
        "file?",
        path, found, sequences, documents);
}

}  // namespace

MegatronIndex read_megatron_index(const std::string& path, std::span<const std::byte> bytes) {
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  check(text.starts_with(kMagic), "tokens: '{}' does not begin with MMIDIDX. Is it an index of Megatron?", path);
  check(bytes.size() >= kIndexHeaderBytes, "tokens: '{}' ends within its header. Is it all of the file?", path);
  NumberReader reader(bytes.subspan(kMagic.size()));
  const auto version = reader.next<std::uint64_t>();
  check(version == 1, "tokens: '{}' is an index of version {}, expected 1", path, version);
  const auto code = reader.next<std::uint8_t>();
  const std::optional<TokenType> type = type_of(code);
  check(type.has_value(), "tokens: '{}' is of elements of type {}, expected whole numbers (1 to 5, or 8)", path, code);
  const auto sequences = reader.next<std::uint64_t>(), documents = reader.next<std::uint64_t>();
  check_size(path, reader.left(), sequences, documents);

  MegatronIndex index{.type = *type};
  NumberReader lengths = reader.list(sequences, 4), offsets = reader.list(sequences, 8);
  std::uint64_t sequence = 0;
  for (std::uint64_t document = 0; document < documents; ++document) {
    const auto first = reader.next<std::uint64_t>();
    check(first <= sequences && first >= sequence && (document > 0 || first == 0),
          "tokens: '{}' has document {} begin at sequence {}, expected {} to {}", path, document, first, sequence,
          document > 0 ? sequences : 0);
    for (; sequence < first; ++sequence) {
      const auto length = lengths.next<std::int32_t>();
      const auto offset = offsets.next<std::int64_t>();
      check(length >= 0, "tokens: '{}' has sequence {} of {} tokens", path, sequence, length);
      check(offset == index.tokens * size_of(*type),
            "tokens: '{}' has sequence {} at byte {}, expected {}, where the one before ends", path, sequence, offset,
            index.tokens * size_of(*type));
      index.tokens += length;
    }
    const bool has_tokens = index.tokens > (index.document_ends.empty() ? 0 : index.document_ends.back());
    if (has_tokens) index.document_ends.push_back(index.tokens);
  }
  check(sequence == sequences, "tokens: '{}' has the last document end at sequence {} of {}", path, sequence,
        sequences);
  return index;
}

}  // namespace phasor::io
