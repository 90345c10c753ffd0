// A task as `predict` meets it on the terminal: options of its own, and answers to what they or somebody who types ask.
// A task is added here by a file of its own and a row of terminal_sides().
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "io/listener/listener.h"
#include "models/config/resolved_run.h"

namespace phasor::cli {

class TerminalSide {
 public:
  virtual ~TerminalSide() = default;

  // Of the task (run::Task::name), under which --help shows the options.
  virtual std::string task() const = 0;
  // They belong to the group task(). This object outlives the parsing.
  virtual void add_options(CLI::App& command) = 0;

  // What of the options run::Task::predict is told, where answers go to files. One that is for the terminal alone is a
  // UserError.
  virtual std::map<std::string, std::string> options_for_files() const = 0;
  // Prints the answers to what the options ask or, where these ask nothing, to each line that is typed. `json`: for
  // programs.
  virtual void answer(const run::ResolvedRun& config, bool json, io::Listener& listener) const = 0;
};

// Those of all tasks that have one.
std::vector<std::unique_ptr<TerminalSide>> terminal_sides();

}  // namespace phasor::cli
