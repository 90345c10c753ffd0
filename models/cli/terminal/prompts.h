// Text on the terminal: prompts that a model goes on with.
#pragma once

#include <optional>

#include "models/cli/terminal/terminal_side.h"

namespace phasor::cli {

class Prompts : public TerminalSide {
 public:
  std::string task() const override;
  void add_options(CLI::App& command) override;
  std::map<std::string, std::string> options_for_files() const override;
  void answer(const run::ResolvedRun& config, bool json, io::Listener& listener) const override;

 private:
  std::optional<std::string> prompt_;
  std::map<std::string, std::string> options_;  // as text::Text::predict takes them
};

}  // namespace phasor::cli
