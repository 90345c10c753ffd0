#include <fmt/format.h>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "io/text/utf8.h"
#include "models/cli/text/answer_text.h"
#include "models/cli/verbs.h"
#include "models/config/load_config.h"
#include "models/squad/answering.h"
#include "models/squad/training.h"

namespace phasor::cli {

namespace {

struct PredictOptions : CommonOptions {
  std::string output;
  std::optional<std::string> question, context, context_file;
  bool unanswerable = false;
  std::int64_t top = 5;
};

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

std::string choose_context(const PredictOptions& options) {
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

void answer_questions(const run::ResolvedRun& config, const PredictOptions& options) {
  check(options.top > 0, "--top {} is not positive", options.top);
  check(!options.question || !is_blank(*options.question), "--question is empty, expected a question");
  const std::string context = choose_context(options);
  run::QuestionAnswerer answerer(config, options.unanswerable);
  const auto answer = [&](const std::string& question) {
    const std::vector<run::AnswerCandidate> candidates = answerer.ask(question, context);
    print_answer(candidates, context, options.top);
    if (options.json) fmt::print("{}\n", answer_json(question, candidates, options.top).dump());
    std::fflush(stdout);
  };
  if (options.question) return answer(io::replace_invalid_utf8(*options.question));
  for (std::string question; read_line("question", question);) answer(question);
}

void answer_file(const run::ResolvedRun& config, const PredictOptions& options) {
  check(!options.question && !options.context && !options.context_file,
        "--output is for the questions of a file; --question and --context are answered on the terminal");
  const std::string& data = config.data.predict.empty() ? config.data.dev : config.data.predict;
  check(!data.empty(), "data.predict is missing. Give it a SQuAD JSON file with the questions to answer");
  const std::int64_t questions =
      run::predict_squad(config, data, options.unanswerable, options.output, options.progress());
  fmt::print("{} questions answered in {}/predictions.json, candidates in {}/nbest_predictions.json\n", questions,
             options.output, options.output);
  if (options.json) {
    fmt::print(
        "{}\n",
        nlohmann::ordered_json{{"questions", questions}, {"predictions", options.output + "/predictions.json"}}.dump());
  }
}

void run_predict(const PredictOptions& options) {
  const run::ResolvedRun config =
      resolve(run::load_config(options.source, options.overrides), run::Purpose::infer, options).run;
  check(!options.output.empty() || !options.overrides.contains("data.predict"),
        "--data.predict needs --output, the folder for the answers");
  if (options.output.empty()) {
    answer_questions(config, options);
  } else {
    answer_file(config, options);
  }
}

}  // namespace

Verb predict_verb(CLI::App& app) {
  const auto options = std::make_shared<PredictOptions>();
  CLI::App* command = app.add_subcommand(
      "predict",
      "Answer questions: those of a SQuAD file into --output, one given by --question, or those typed, a line each");
  add_common_options(*command, *options);
  command->add_option(
      "--output", options->output,
      "Folder for predictions.json, nbest_predictions.json and null_odds.json: answers data.predict, or "
      "data.dev if that is empty");
  command->add_option("--question", options->question, "Answer this question");
  command->add_option("--context", options->context, "The text to find answers in; without one, the first line typed");
  command->add_option("--context-file", options->context_file, "A file with that text");
  command->add_flag("--unanswerable", options->unanswerable,
                    "The text may not answer the question, as in SQuAD 2.0; such files say so themselves");
  command->add_option("--top", options->top, "How many candidates to show [5]");
  return {command, [options] { run_predict(*options); }};
}

}  // namespace phasor::cli
