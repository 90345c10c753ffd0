// SQuAD on the terminal: questions to a text.
#pragma once

#include <optional>

#include "models/cli/terminal/terminal_side.h"

namespace phasor::cli {

class Questions : public TerminalSide {
 public:
  std::string task() const override;
  void add_options(CLI::App& command) override;
  std::map<std::string, std::string> options_for_files() const override;
  void answer(const run::ResolvedRun& config, bool json, io::Listener& listener) const override;

 private:
  std::string choose_context() const;

  std::optional<std::string> question_, context_, context_file_;
  bool unanswerable_ = false;
  std::int64_t top_ = 5;
};

}  // namespace phasor::cli
