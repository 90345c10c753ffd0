// The verbs of the command line, one source file each. A verb adds its sub-command to the parser and returns what to
// run if the user chose it.
#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <map>
#include <string>

#include "io/terminal/progress.h"
#include "models/plan/resolve_run.h"

namespace phasor::cli {

struct Verb {
  CLI::App* command = nullptr;
  std::function<int()> run;  // returns what the program ends with
};

inline constexpr int kDifferent = 1;  // what a comparison that finds a difference ends with, as of diff and cmp

Verb train_verb(CLI::App& app);
Verb eval_verb(CLI::App& app);
Verb predict_verb(CLI::App& app);
Verb plan_verb(CLI::App& app);
Verb convert_verb(CLI::App& app);
Verb inspect_verb(CLI::App& app);
Verb report_verb(CLI::App& app);
Verb verify_verb(CLI::App& app);
// Completes the verbs and options that `app` has when it runs.
Verb completion_verb(CLI::App& app);

// `bench` has verbs of its own; `bench_command` adds it to the parser.
CLI::App& bench_command(CLI::App& app);
Verb bench_step_verb(CLI::App& bench);
Verb bench_kernels_verb(CLI::App& bench);
Verb bench_products_verb(CLI::App& bench);
Verb bench_save_verb(CLI::App& bench);

// Who hears what a verb has to say on the way: standard error.
io::TerminalListener terminal_listener(bool quiet);

// What every verb takes: where its configuration comes from, any key of it, and how it reports.
struct CommonOptions {
  std::string source;                            // a preset, a YAML file or a run's folder
  std::map<std::string, std::string> overrides;  // by key
  std::string ipu_config;                        // a file of optimum-graphcore, where the verb takes one; else empty
  bool json = false;                             // end with one line of JSON
  bool quiet = false;

  io::TerminalListener listener() const { return terminal_listener(quiet); }
};

// Adds the common options to `command`; `options` outlives the parsing.
void add_common_options(CLI::App& command, CommonOptions& options);

// For verbs that take an IPUConfig: adds the option, and puts what the file asks for into the overrides.
void add_ipu_config(CLI::App& command, CommonOptions& options);
void apply_ipu_config(CommonOptions& options, io::Listener& listener);

// resolve_run, whose note the listener is told.
run::Resolution resolve(const run::RunConfig& config, run::Purpose purpose, io::Listener& listener);

// Throws UserError, naming the nearest key, if the parsed command was given an argument that it does not know.
void refuse_unknown_arguments(const CLI::App& command);

}  // namespace phasor::cli
