#include "models/text/prompts.h"

#include <sstream>

#include "engine/base/error.h"
#include "io/files/text_file.h"

namespace phasor::text {

std::vector<std::string> read_prompts(const std::string& path) {
  std::istringstream lines(io::read_file("prompts", path));
  std::vector<std::string> prompts;
  for (std::string line; std::getline(lines, line);) {
    if (line.ends_with('\r')) line.pop_back();
    prompts.push_back(std::move(line));
  }
  check(!prompts.empty(), "prompts: '{}' is empty, expected a prompt a line", path);
  return prompts;
}

std::vector<std::int32_t> encode_prompt(const io::BytePairEncoding& vocabulary, const std::string& prompt) {
  std::vector<std::int32_t> ids;
  vocabulary.encode_with_end_of_text(prompt, ids);
  if (ids.empty()) {
    check(vocabulary.end_of_text() >= 0,
          "prompt: it is empty, and the vocabulary has no '{}' that a text could begin with",
          io::BytePairVocabulary::kEndOfText);
    ids.push_back(vocabulary.end_of_text());
  }
  return ids;
}

}  // namespace phasor::text
