// Prompts: texts that a model is to go on with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/byte_pair/byte_pair_encoding.h"

namespace phasor::text {

// Those of a file, a line each; an empty line is an empty prompt. Ends of lines, also Windows's, are no part of them. A
// file without a line is a UserError.
std::vector<std::string> read_prompts(const std::string& path);

// The tokens of a prompt, one at least: an empty one begins a text, as the token does that ends the one before, and is
// a UserError where the vocabulary has none. "<|endoftext|>" is that token, as for Transformers.
std::vector<std::int32_t> encode_prompt(const io::BytePairEncoding& vocabulary, const std::string& prompt);

}  // namespace phasor::text
