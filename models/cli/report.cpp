#include <fmt/format.h>
#include <memory>

#include "models/cli/verbs.h"
#include "models/report/run_report.h"

namespace phasor::cli {

Verb report_verb(CLI::App& app) {
  const auto folder = std::make_shared<std::string>();
  CLI::App* command = app.add_subcommand("report", "Write report.html from the files that a run left in its folder");
  command->add_option("folder", *folder, "The output folder of a run")->required();
  return {command, [folder] {
            fmt::print("{}\n", run::write_report(*folder));
            return 0;
          }};
}

}  // namespace phasor::cli
