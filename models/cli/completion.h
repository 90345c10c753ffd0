// Completion of the command line by the shell.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace phasor::cli {

// A script for bash that completes the verbs of `app`, their options, presets, and the values of options that have few.
// Where anything may stand, it leaves the choice to the names of files.
std::string bash_completion(const CLI::App& app);

}  // namespace phasor::cli
