// A vocabulary of single letters, so that tests can count tokens by looking.
#pragma once

#include <string>
#include <vector>

#include "io/datasets/squad.h"
#include "io/tokenizer/wordpiece.h"

namespace phasor::test {

inline constexpr std::int32_t kPad = 0;
inline constexpr std::int32_t kCls = 2;
inline constexpr std::int32_t kSep = 3;

// "a" is 4, "b" is 5, ...
inline std::vector<std::string> letters_vocabulary() {
  std::vector<std::string> tokens = {"[PAD]", "[UNK]", "[CLS]", "[SEP]"};
  for (char letter = 'a'; letter <= 'z'; ++letter) tokens.emplace_back(1, letter);
  return tokens;
}

// One context and one question; no answer makes it an impossible one.
inline io::SquadData one_question(const std::string& context, const std::string& question,
                                  std::vector<io::SquadAnswer> answers) {
  const bool impossible = answers.empty();
  return {.contexts = {context},
          .questions =
              {{.id = "q0", .text = question, .context = 0, .answers = std::move(answers), .impossible = impossible}},
          .has_impossible = impossible};
}

}  // namespace phasor::test
