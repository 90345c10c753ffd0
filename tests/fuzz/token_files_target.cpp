#include "io/files/mapped_file.h"
#include "io/token_files/llm_c_tokens.h"
#include "io/token_files/megatron_index.h"
#include "io/token_files/token_file.h"
#include "tests/fuzz/fuzz_target.h"
#include "tests/io/token_files/token_bytes.h"

namespace phasor::fuzz {

std::vector<std::string> seeds() {
  using namespace test;
  return {llm_c_bytes({50256, 1, 2, 50256, 3}), llm_c_bytes<std::uint32_t>(20240801, 7, {128000, 1, 2}),
          numbers_as<std::uint16_t>(Ids{1, 2, 50256, 3, 4}), megatron_index(8, 2, {3, 0, 2, 4}, {0, 1, 1, 4}),
          megatron_index(5, 8, {3}, {0, 1}) + "\1"};
}

std::vector<std::string> words() {
  using namespace std::string_literals;
  return {"MMIDIDX\0\0"s, "\xff\xff\xff\xff\xff\xff\xff\xff", "\0\0\0\0\0\0\0\x80"s, "\1\0\0\0\0\0\0\0"s,
          "\x88\xd4\x34\x01\1\0\0\0"s};
}

// Once as tokens, once as an index.
void read_input(const std::string& path) {
  const io::MappedFile file("tokens", path);
  std::int64_t last = 0;
  const auto check_ends = [&](std::span<const std::int64_t> ends, std::int64_t tokens) {
    last = 0;
    for (const std::int64_t end : ends) {
      ensure(end > last, "fuzz: a document ends at {} behind {}", end, last);
      last = end;
    }
    ensure(last == tokens, "fuzz: documents end at {} of {}", last, tokens);
  };
  try {
    const io::MegatronIndex index = io::read_megatron_index(path, file.bytes());
    check_ends(index.document_ends, index.tokens);
  } catch (const UserError&) {
    const io::TokenFile tokens = io::open_token_file(path, 50256);
    check_ends(tokens.document_ends, tokens.tokens.size());
    io::find_foreign_token(tokens.tokens, 50257);
  }
}

}  // namespace phasor::fuzz
