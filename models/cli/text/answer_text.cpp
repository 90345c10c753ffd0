#include "models/cli/text/answer_text.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "models/cli/text/excerpt.h"

namespace phasor::cli {

namespace {

bool is_answer(const squad::AnswerCandidate& candidate) { return candidate.span.char_end > candidate.span.char_begin; }

std::string shown_text(const squad::AnswerCandidate& candidate) {
  return is_answer(candidate) ? printable(candidate.text) : "(no answer)";
}

}  // namespace

void print_answer(const std::vector<squad::AnswerCandidate>& candidates, const std::string& context, std::int64_t top) {
  constexpr std::int64_t kRoom = 120;  // characters on each side
  const bool colour = isatty(STDOUT_FILENO) != 0 && std::getenv("NO_COLOR") == nullptr;
  const squad::AnswerCandidate& best = candidates.front();
  fmt::print("{}  {:.1f} %\n", shown_text(best), 100 * best.probability);
  if (is_answer(best)) {
    const Excerpt excerpt = make_excerpt(context, best.span.char_begin, best.span.char_end, kRoom);
    fmt::print("    {}{}{}{}{}\n", excerpt.before, colour ? "\x1b[1;32m" : "[", excerpt.answer,
               colour ? "\x1b[0m" : "]", excerpt.after);
  }
  for (std::int64_t i = 1; i < std::min(top, std::ssize(candidates)); ++i) {
    fmt::print("{:>3}  {:4.1f} %  {}\n", i + 1, 100 * candidates[i].probability, shown_text(candidates[i]));
  }
  std::fflush(stdout);
}

nlohmann::ordered_json answer_json(const std::string& question, const std::vector<squad::AnswerCandidate>& candidates,
                                   std::int64_t top) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (std::int64_t i = 0; i < std::min(top, std::ssize(candidates)); ++i) {
    list.push_back({{"text", candidates[i].text},
                    {"probability", candidates[i].probability},
                    {"start", candidates[i].span.char_begin},
                    {"end", candidates[i].span.char_end},
                    {"start_logit", candidates[i].span.start_logit},
                    {"end_logit", candidates[i].span.end_logit}});
  }
  return {{"question", question},
          {"answer", candidates.front().text},
          {"probability", candidates.front().probability},
          {"candidates", list}};
}

}  // namespace phasor::cli
