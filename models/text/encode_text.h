// Text to tokens, on all threads.
#pragma once

#include <functional>
#include <span>

#include "io/listener/listener.h"
#include "models/text/text_encoder.h"
#include "models/text/text_pieces.h"

namespace phasor::text {

using TakeTokens = std::function<void(std::span<const std::int32_t>)>;

// Hands `take` the tokens of all documents in order, each with the token that ends it, a part at a time: the memory it
// takes does not grow with the text. Returns where documents end (io/token_files/documents.h). The same for any number
// of threads. What is wrong in a file is a UserError, the first of all in order.
std::vector<std::int64_t> encode_text(std::span<const TextFile> files, const TextEncoder& encoder,
                                      const TakeTokens& take, io::Listener& listener);

}  // namespace phasor::text
