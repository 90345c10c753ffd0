#include "models/text/load_text.h"

#include <filesystem>
#include <optional>

#include "engine/base/error.h"
#include "io/files/file_list.h"
#include "models/text/token_cache.h"

namespace phasor::text {

namespace {

// Nothing: a file of tokens.
std::optional<TextKind> kind_of(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension();
  if (ending == ".txt") return TextKind::plain;
  if (ending == ".jsonl") return TextKind::json_lines;
  check(ending != ".idx", "text: '{}' is the index of a file of tokens. Name the .bin beside it", path);
  check(ending == ".bin", "text: '{}' ends in none of .txt, .jsonl (text) and .bin (tokens)", path);
  return {};
}

class TextLoader {
 public:
  TextLoader(const TextReading& reading, io::Listener& listener) : reading_(reading), listener_(listener) {}

  void add(const std::string& path) {
    const std::optional<TextKind> kind = kind_of(path);
    if (kind) {
      check(reading_.encoder != nullptr, "text: '{}' is text, which needs a tokenizer. data.vocab is missing", path);
      texts_.push_back({.path = path, .kind = *kind, .content = std::make_shared<const io::MappedFile>("text", path)});
    } else {
      end_texts();
      stream_.add(io::open_token_file(path, reading_.end_of_text));
    }
  }

  TokenStream finish() {
    end_texts();
    return std::move(stream_);
  }

  bool from_cache() const { return from_cache_; }

 private:
  void end_texts() {
    if (texts_.empty()) return;
    const CachedTokens loaded = cached_tokens(texts_, *reading_.encoder, reading_.cache, listener_);
    if (!loaded.note.empty()) listener_.note(loaded.note);
    from_cache_ |= loaded.from_cache;
    stream_.add(loaded.tokens);
    texts_.clear();
  }

  const TextReading& reading_;
  io::Listener& listener_;
  std::vector<TextFile> texts_;  // that follow each other
  TokenStream stream_;
  bool from_cache_ = false;
};

}  // namespace

TokenStream load_text(const std::string& list, const TextReading& reading, io::Listener& listener) {
  TextLoader loader(reading, listener);
  for (const std::string& path : io::find_files("text", list)) loader.add(path);
  TokenStream stream = loader.finish();
  check(stream.size() > 0, "text: '{}' has no text", list);
  listener.note(fmt::format("{}: {} tokens of {} documents{}", list, stream.size(), stream.document_ends().size(),
                            loader.from_cache() ? ", from the cache" : ""));
  return stream;
}

}  // namespace phasor::text
