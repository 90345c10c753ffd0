// Keeps the tokens of text for the next run.
#pragma once

#include <span>
#include <string>

#include "io/listener/listener.h"
#include "io/token_files/token_file.h"
#include "models/text/text_encoder.h"
#include "models/text/text_pieces.h"

namespace phasor::text {

struct CachedTokens {
  io::TokenFile tokens;  // its path is that of the first text
  bool from_cache = false;
  std::string note;  // one line for the user if something was wrong with the cache, else empty
};

// The file in `folder` that belongs to what the files hold, in order, to the tokenizer and to the version of the
// format; their names do not matter.
std::string token_cache_path(std::span<const TextFile> files, const TextEncoder& encoder, const std::string& folder);

// The tokens of all documents of the files, one after the other, from the cache, or made and kept
// (io/files/cached_files.h says what goes in turn). A file of the cache that is damaged is made anew, and where none
// can be written the tokens are in memory: neither stops the run. An empty `folder` is no cache. Files appear under
// their name when they are complete, so several processes may share a folder. What is wrong in a text is a UserError.
CachedTokens cached_tokens(std::span<const TextFile> files, const TextEncoder& encoder, const std::string& folder,
                           io::Listener& listener);

}  // namespace phasor::text
