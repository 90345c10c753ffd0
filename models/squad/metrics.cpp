#include "models/squad/metrics.h"

#include <algorithm>
#include <map>
#include <vector>

#include "models/squad/python_text.h"

namespace phasor::squad {

namespace {

bool is_punctuation(char byte) {  // string.punctuation
  return (byte >= '!' && byte <= '/') || (byte >= ':' && byte <= '@') || (byte >= '[' && byte <= '`') ||
         (byte >= '{' && byte <= '~');
}

std::vector<std::string> words_of(std::string_view normalized) {
  std::vector<std::string> words;
  while (!normalized.empty()) {
    const std::size_t end = std::min(normalized.find(' '), normalized.size());
    words.emplace_back(normalized.substr(0, end));
    normalized.remove_prefix(std::min(end + 1, normalized.size()));
  }
  return words;
}

}  // namespace

std::string normalize_answer(std::string_view text) {
  std::string lower = python_lower(text);
  std::erase_if(lower, is_punctuation);
  return python_join_words(python_replace_articles(lower));
}

bool exact_match(std::string_view prediction, std::string_view gold) {
  return normalize_answer(prediction) == normalize_answer(gold);
}

double f1_score(std::string_view prediction, std::string_view gold, Rules rules) {
  const std::vector<std::string> predicted = words_of(normalize_answer(prediction));
  const std::vector<std::string> expected = words_of(normalize_answer(gold));
  if (rules == Rules::V2 && (predicted.empty() || expected.empty())) return predicted == expected ? 1 : 0;
  std::map<std::string_view, std::int64_t> left;
  for (const std::string& word : expected) ++left[word];
  std::int64_t same = 0;
  for (const std::string& word : predicted) same += left[word]-- > 0;
  if (same == 0) return 0;
  const double precision = static_cast<double>(same) / static_cast<double>(predicted.size());
  const double recall = static_cast<double>(same) / static_cast<double>(expected.size());
  return 2 * precision * recall / (precision + recall);
}

QuestionScore score_question(const io::SquadQuestion& question, std::string_view prediction, Rules rules) {
  std::vector<std::string_view> golds;
  for (const io::SquadAnswer& answer : question.answers) {
    // The 2.0 script passes over answers of which nothing is left.
    if (rules == Rules::V1 || !normalize_answer(answer.text).empty()) golds.push_back(answer.text);
  }
  if (golds.empty()) golds.emplace_back("");
  QuestionScore best;
  for (const std::string_view gold : golds) {
    best.exact = std::max<double>(best.exact, exact_match(prediction, gold));
    best.f1 = std::max(best.f1, f1_score(prediction, gold, rules));
  }
  return best;
}

}  // namespace phasor::squad
