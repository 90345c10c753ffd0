#include "models/cli/terminal/questions.h"

#include <cstdio>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "io/text/utf8.h"
#include "models/cli/terminal/typed_line.h"
#include "models/cli/text/answer_text.h"
#include "models/squad/answering.h"
#include "models/squad/task.h"

namespace phasor::cli {

std::string Questions::task() const { return task_options::SquadOptions::kName; }

void Questions::add_options(CLI::App& command) {
  const auto add = [&](CLI::Option* option) { option->group(task()); };
  add(command.add_option("--question", question_, "Answer this question"));
  add(command.add_option("--context", context_, "The text to find answers in; without one, the first line typed"));
  add(command.add_option("--context-file", context_file_, "A file with that text"));
  add(command.add_flag("--unanswerable", unanswerable_,
                       "The text may not answer the question, as in SQuAD 2.0; such files say so themselves"));
  add(command.add_option("--top", top_, "How many candidates to show [5]"));
}

std::map<std::string, std::string> Questions::options_for_files() const {
  check(!question_ && !context_ && !context_file_,
        "--output is for the questions of a file; --question and --context are answered on the terminal");
  std::map<std::string, std::string> options;
  if (unanswerable_) options[squad::Squad::kUnanswerable] = "true";
  return options;
}

void Questions::answer(const run::ResolvedRun& config, bool json, io::Listener&) const {
  check(top_ > 0, "--top {} is not positive", top_);
  check(!question_ || !is_blank(*question_), "--question is empty, expected a question");
  const std::string context = choose_context();
  squad::QuestionAnswerer answerer(config, unanswerable_);
  const auto answer_one = [&](const std::string& question) {
    const std::vector<squad::AnswerCandidate> candidates = answerer.ask(question, context);
    print_answer(candidates, context, top_);
    if (json) fmt::print("{}\n", answer_json(question, candidates, top_).dump());
    std::fflush(stdout);
  };
  if (question_) return answer_one(io::replace_invalid_utf8(*question_));
  for (std::string question; read_line("question", question);) answer_one(question);
}

std::string Questions::choose_context() const {
  check(!context_ || !context_file_, "--context and --context-file both give a context; expected one");
  if (context_file_) {
    const std::string context = io::read_file("context", *context_file_);
    const std::size_t invalid = io::find_invalid_utf8(context);
    check(invalid == context.size(), "context: '{}' is not valid UTF-8 at byte {}", *context_file_, invalid);
    check(!is_blank(context), "context: '{}' is empty, expected a text to find answers in", *context_file_);
    return context;
  }
  if (context_) {
    check(!is_blank(*context_), "--context is empty, expected a text to find answers in");
    return io::replace_invalid_utf8(*context_);
  }
  check(!question_, "--question needs --context or --context-file to find the answer in");
  std::string context;
  check(read_line("context", context), "context: standard input ended before a line with the context");
  return context;
}

}  // namespace phasor::cli
