// The answer to a question as people and as programs read it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "models/squad/spans.h"

namespace phasor::cli {

// Prints the first candidate with its place in the context, and the next ones, `top` in all. Colour marks the answer on
// a terminal, unless $NO_COLOR is set, and brackets elsewhere.
void print_answer(const std::vector<squad::AnswerCandidate>& candidates, const std::string& context, std::int64_t top);

// The same for programs; places count code points of the context.
nlohmann::ordered_json answer_json(const std::string& question, const std::vector<squad::AnswerCandidate>& candidates,
                                   std::int64_t top);

}  // namespace phasor::cli
