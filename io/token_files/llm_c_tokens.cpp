#include "io/token_files/llm_c_tokens.h"

#include <array>
#include <cstring>

namespace phasor::io {

namespace {

struct LlmCForm {
  std::uint32_t magic, version;
  TokenType type;
};
constexpr std::array kForms = {LlmCForm{20240520, 1, TokenType::u16}, LlmCForm{20240801, 7, TokenType::u32}};
constexpr std::uint32_t kMagicOfModels = 20240326;
constexpr std::size_t kHeaderBytes = 256 * 4;

}  // namespace

std::optional<TokenSpan> read_llm_c_tokens(const std::string& path, std::span<const std::byte> bytes) {
  std::array<std::uint32_t, 3> header{};  // magic, version, tokens
  if (bytes.size() < sizeof(header)) return {};
  std::memcpy(header.data(), bytes.data(), sizeof(header));
  const auto [magic, version, tokens] = header;
  check(magic != kMagicOfModels, "tokens: '{}' is a model of llm.c ({}), expected tokens", path, magic);
  for (const LlmCForm& form : kForms) {
    if (magic != form.magic) continue;
    check(version == form.version, "tokens: '{}' is of llm.c ({}) in version {}, expected {}", path, magic, version,
          form.version);
    check(bytes.size() >= kHeaderBytes, "tokens: '{}' ends within llm.c's header, after {} of {} bytes", path,
          bytes.size(), kHeaderBytes);
    const std::uint64_t expected = std::uint64_t{tokens} * static_cast<std::uint64_t>(size_of(form.type));
    const std::uint64_t found = bytes.size() - kHeaderBytes;
    check(found == expected, "tokens: '{}' has {} bytes behind llm.c's header, expected {} for {} tokens. {}", path,
          found, expected, tokens, found < expected ? "Is it all of the file?" : "Was something added to it?");
    return TokenSpan(form.type, bytes.subspan(kHeaderBytes));
  }
  return {};
}

}  // namespace phasor::io
