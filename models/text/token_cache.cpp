#include "models/text/token_cache.h"

#include <filesystem>

#include "engine/base/error.h"
#include "io/files/atomic_file.h"
#include "io/files/cached_files.h"
#include "io/files/content_sum.h"
#include "models/text/encode_text.h"
#include "models/text/token_store.h"

namespace phasor::text {

namespace {

constexpr io::CachedKind kKind{.kind = "text", .version = 1, .ending = "tokens"};

io::TokenFile encode_to_memory(std::span<const TextFile> files, const TextEncoder& encoder, io::Listener& listener) {
  const auto ids = std::make_shared<std::vector<std::int32_t>>();
  io::TokenFile tokens{.mapping = ids};
  const auto keep = [&](std::span<const std::int32_t> more) { ids->insert(ids->end(), more.begin(), more.end()); };
  tokens.document_ends = encode_text(files, encoder, keep, listener);
  tokens.tokens = io::TokenSpan(io::TokenType::i32, std::as_bytes(std::span(*ids)));
  return tokens;
}

// What is wrong in a text: told apart from what is wrong with the cache, which does not stop the run.
struct TextMistake {
  UserError error;
};

void encode_to_file(std::span<const TextFile> files, const TextEncoder& encoder, const std::string& path,
                    io::Listener& listener) {
  const std::string folder = std::filesystem::path(path).parent_path();
  std::error_code error;  // what cannot be made here cannot be written below either
  std::filesystem::create_directories(folder, error);
  io::write_atomically(path, [&](const std::string& temporary) {
    TokenStoreWriter writer(temporary, encoder.vocab_size());
    bool writing = false;
    const auto keep = [&](std::span<const std::int32_t> ids) {
      writing = true;
      writer.add(ids);
      writing = false;
    };
    std::vector<std::int64_t> document_ends;
    try {
      document_ends = encode_text(files, encoder, keep, listener);
    } catch (const UserError& mistake) {
      if (writing) throw;
      throw TextMistake{mistake};
    }
    writer.finish(document_ends);
  });
  io::clean_cache(kKind, folder);
}

}  // namespace

std::string token_cache_path(std::span<const TextFile> files, const TextEncoder& encoder, const std::string& folder) {
  std::string inputs =
      fmt::format("tokenizer {} of {} end {}\n", encoder.fingerprint(), encoder.vocab_size(), encoder.end_of_text());
  for (const TextFile& file : files) {
    io::ContentSum sum;
    sum.add(file.content->bytes());
    inputs += fmt::format("{} {}\n", file.kind == TextKind::plain ? "plain" : "lines", sum.text());
  }
  return io::cached_path(kKind, folder, inputs);
}

CachedTokens cached_tokens(std::span<const TextFile> files, const TextEncoder& encoder, const std::string& folder,
                           io::Listener& listener) {
  CachedTokens result;
  const std::string path = folder.empty() ? "" : token_cache_path(files, encoder, folder);
  if (!path.empty() && std::filesystem::exists(path)) {
    try {
      result.tokens = open_token_store(path);
      result.from_cache = true;
      io::mark_used(path);
    } catch (const UserError& error) {
      result.note = fmt::format("{}; tokens are made anew", error.what());
    }
  }
  if (!path.empty() && !result.from_cache) {
    try {
      encode_to_file(files, encoder, path, listener);
      result.tokens = open_token_store(path);
    } catch (const TextMistake& mistake) {
      throw mistake.error;
    } catch (const UserError& error) {
      result.note = fmt::format("{}; tokens are not kept", error.what());
      result.tokens = encode_to_memory(files, encoder, listener);
    }
  } else if (path.empty()) {
    result.tokens = encode_to_memory(files, encoder, listener);
  }
  result.tokens.path = files.front().path;
  return result;
}

}  // namespace phasor::text
