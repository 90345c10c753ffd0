#include "models/cli/ask.h"

#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "io/text/utf8.h"
#include "models/cli/text/answer_text.h"
#include "models/squad/answering.h"

namespace phasor::cli {

namespace {

bool is_blank(const std::string& text) { return text.find_first_not_of(" \t\r\n") == std::string::npos; }

// The next line of standard input that is more than white space; false at its end. A person is told what is expected.
bool read_line(const char* prompt, std::string& line) {
  const bool person = isatty(STDIN_FILENO) != 0;
  do {
    if (person) fmt::print(stderr, "{}> ", prompt);
    if (!std::getline(std::cin, line)) {
      if (person) fmt::print(stderr, "\n");
      return false;
    }
    line = io::replace_invalid_utf8(line);
  } while (is_blank(line));
  return true;
}

std::string choose_context(const AskOptions& options) {
  check(!options.context || !options.context_file, "--context and --context-file both give a context; expected one");
  if (options.context_file) {
    const std::string context = io::read_file("context", *options.context_file);
    const std::size_t invalid = io::find_invalid_utf8(context);
    check(invalid == context.size(), "context: '{}' is not valid UTF-8 at byte {}", *options.context_file, invalid);
    check(!is_blank(context), "context: '{}' is empty, expected a text to find answers in", *options.context_file);
    return context;
  }
  if (options.context) {
    check(!is_blank(*options.context), "--context is empty, expected a text to find answers in");
    return io::replace_invalid_utf8(*options.context);
  }
  check(!options.question, "--question needs --context or --context-file to find the answer in");
  std::string context;
  check(read_line("context", context), "context: standard input ended before a line with the context");
  return context;
}

}  // namespace

void answer_questions(const run::ResolvedRun& config, const AskOptions& options) {
  check(options.top > 0, "--top {} is not positive", options.top);
  check(!options.question || !is_blank(*options.question), "--question is empty, expected a question");
  const std::string context = choose_context(options);
  squad::QuestionAnswerer answerer(config, options.unanswerable);
  const auto answer = [&](const std::string& question) {
    const std::vector<squad::AnswerCandidate> candidates = answerer.ask(question, context);
    print_answer(candidates, context, options.top);
    if (options.json) fmt::print("{}\n", answer_json(question, candidates, options.top).dump());
    std::fflush(stdout);
  };
  if (options.question) return answer(io::replace_invalid_utf8(*options.question));
  for (std::string question; read_line("question", question);) answer(question);
}

void add_ask_options(CLI::App& command, AskOptions& options) {
  command.add_option("--question", options.question, "Answer this question");
  command.add_option("--context", options.context, "The text to find answers in; without one, the first line typed");
  command.add_option("--context-file", options.context_file, "A file with that text");
  command.add_flag("--unanswerable", options.unanswerable,
                   "The text may not answer the question, as in SQuAD 2.0; such files say so themselves");
  command.add_option("--top", options.top, "How many candidates to show [5]");
}

}  // namespace phasor::cli
