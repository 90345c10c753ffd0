// SQuAD's part of `predict`: questions that are asked on the terminal.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "models/config/resolved_run.h"

namespace phasor::cli {

struct AskOptions {
  std::optional<std::string> question, context, context_file;
  bool unanswerable = false, json = false;
  std::int64_t top = 5;

  bool given() const { return question || context || context_file; }
};

// `options` outlives the parsing.
void add_ask_options(CLI::App& command, AskOptions& options);

// Answers the question that is given, or those that are typed, a line each.
void answer_questions(const run::ResolvedRun& config, const AskOptions& options);

}  // namespace phasor::cli
