// SQuAD 1.1 and 2.0 files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/listener/listener.h"

namespace phasor::io {

struct SquadAnswer {
  std::string text;
  std::int64_t start = 0;  // code points from the beginning of the context
};

struct SquadQuestion {
  std::string id;
  std::string text;
  std::int64_t context = 0;  // index into SquadData::contexts
  std::vector<SquadAnswer> answers;
  bool impossible = false;  // 2.0: the context does not answer it, `answers` is empty
};

// Contexts and questions in the order of the file; the questions of one context follow each other.
struct SquadData {
  std::vector<std::string> contexts;
  std::vector<SquadQuestion> questions;
  bool has_impossible = false;  // SQuAD 2.0: "no answer" is a possible answer
};

enum class SquadAnswers : std::uint8_t {
  Required,  // to train or to score
  Optional,  // questions alone will do, without the key `answers` or with an empty list
};

// Every answer stands in its context, character for character, where the file says. Anything else, and whatever is
// missing, of the wrong type, cut short or not UTF-8, is a UserError of one line that names the place in the file.
SquadData read_squad(const std::string& path, SquadAnswers answers = SquadAnswers::Required,
                     Listener& listener = silent());

}  // namespace phasor::io
