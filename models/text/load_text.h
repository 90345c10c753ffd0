// The files that a setting names, text and tokens alike, as one stream.
#pragma once

#include <string>

#include "io/listener/listener.h"
#include "models/text/text_encoder.h"
#include "models/text/token_stream.h"

namespace phasor::text {

struct TextReading {
  const TextEncoder* encoder = nullptr;  // null: files of tokens alone
  std::int32_t end_of_text = -1;         // that divides the documents of files of tokens; -1: none
  std::string cache;                     // the folder where tokens of text are kept; empty: nowhere
};

// Of the files of a list (io/files/file_list.h), in its order: .txt and .jsonl are text (text_pieces.h), .bin are
// tokens (io/token_files/token_file.h). Neighbouring files of text are one entry of the cache. What is wrong in a file,
// and a list without any token, is a UserError of one line. Tells the listener how many tokens there are.
TokenStream load_text(const std::string& list, const TextReading& reading, io::Listener& listener);

}  // namespace phasor::text
