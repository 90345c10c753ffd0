// tokenize_text VOCAB [SQUAD]: tokens as JSON, for comparisons with other tokenizers.
// Reads one JSON string a line from standard input, or the contexts and then the questions of a SQuAD file; writes a
// line [[ids], [begins], [ends]] for each, and the seconds spent on tokenising alone to standard error.
#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "io/squad.h"
#include "io/wordpiece.h"

namespace {

std::vector<std::string> read_texts(int count, char** arguments) {
  std::vector<std::string> texts;
  if (count > 2) {
    phasor::io::SquadData data = phasor::io::read_squad(arguments[2]);
    texts = std::move(data.contexts);
    for (auto& question : data.questions) texts.push_back(std::move(question.text));
    return texts;
  }
  for (std::string line; std::getline(std::cin, line);) texts.push_back(nlohmann::json::parse(line));
  return texts;
}

}  // namespace

int main(int count, char** arguments) try {
  phasor::check(count > 1, "usage: tokenize_text VOCAB [SQUAD]");
  const auto wordpiece = phasor::io::WordPiece::load(arguments[1]);
  const std::vector<std::string> texts = read_texts(count, arguments);
  phasor::io::Words words;
  std::vector<phasor::io::Tokens> all(texts.size());
  const auto start = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < texts.size(); ++i) wordpiece.encode(texts[i], all[i], words);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  for (const auto& tokens : all) std::cout << nlohmann::json{tokens.ids, tokens.begins, tokens.ends} << '\n';
  fmt::print(stderr, "{:.4f}\n", seconds.count());
  return 0;
} catch (const phasor::UserError& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
