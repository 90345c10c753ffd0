#include "models/cli/terminal/terminal_side.h"

#include "models/cli/terminal/prompts.h"
#include "models/cli/terminal/questions.h"

namespace phasor::cli {

std::vector<std::unique_ptr<TerminalSide>> terminal_sides() {
  std::vector<std::unique_ptr<TerminalSide>> sides;
  sides.push_back(std::make_unique<Questions>());
  sides.push_back(std::make_unique<Prompts>());
  return sides;
}

}  // namespace phasor::cli
