// What the command line was given that it does not know, in our words.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <system_error>

namespace phasor::cli {

// Throws UserError, naming the nearest one, where the first argument is no verb of `app`, or the second none of the
// verb's own; and where there is no such argument, naming all.
void refuse_unknown_verb(const CLI::App& app, int argc, const char* const* argv);

// The line for what the parser refused.
std::string parse_message(const CLI::ParseError& error);

// What the system refused: a file, without the name of the function that was refused it, or threads, above all.
std::string refusal_message(const std::filesystem::filesystem_error& error);
std::string refusal_message(const std::system_error& error);

}  // namespace phasor::cli
