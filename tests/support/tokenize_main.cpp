// Our tokenizer for scripts that compare it with others.
//   tokenize_text VOCAB [SQUAD]        tokens as JSON: reads one JSON string a line from standard input, or the
//   contexts
//                                      and then the questions of a SQuAD file; writes a line [[ids], [begins], [ends]]
//                                      for each
//   tokenize_text VOCAB SQUAD --time   tokenises all contexts once for every line that arrives on standard input, on
//   one
//                                      thread, and answers with a line: the seconds it took and the number of tokens
#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "io/datasets/squad.h"
#include "io/tokenizer/wordpiece.h"

namespace {

using phasor::io::Tokens;
using phasor::io::WordPiece;
using phasor::io::Words;

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

void write_tokens(const WordPiece& wordpiece, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const Tokens tokens = wordpiece.encode(text);
    std::cout << nlohmann::json{tokens.ids, tokens.begins, tokens.ends} << '\n';
  }
}

void answer_with_times(const WordPiece& wordpiece, const std::vector<std::string>& texts) {
  Words words;
  Tokens tokens;
  for (std::string line; std::getline(std::cin, line);) {
    std::size_t total = 0;
    const auto start = std::chrono::steady_clock::now();
    for (const std::string& text : texts) {
      tokens.clear();
      wordpiece.encode(text, tokens, words);
      total += tokens.size();
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::cout << fmt::format("{:.6f} {}\n", seconds.count(), total) << std::flush;
  }
}

}  // namespace

int main(int count, char** arguments) try {
  phasor::check(count > 1, "usage: tokenize_text VOCAB [SQUAD [--time]]");
  const auto wordpiece = WordPiece::load(arguments[1]);
  if (count > 3 && std::string_view(arguments[3]) == "--time") {
    answer_with_times(wordpiece, phasor::io::read_squad(arguments[2]).contexts);
  } else {
    write_tokens(wordpiece, read_texts(count, arguments));
  }
  return 0;
} catch (const phasor::UserError& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
