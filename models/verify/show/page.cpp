#include "models/verify/show/page.h"

#include "io/figures/page.h"
#include "io/files/atomic_file.h"
#include "models/verify/compare/growth.h"
#include "models/verify/show/text.h"
#include "models/verify/show/words.h"

namespace phasor::run {

void write_html(const VerifyResult& result, const std::string& path) {
  io::Page page{
      .title = "Executions, bit by bit",
      .subtitle = result.name,
      .tiles = {{"executions", std::to_string(result.pairs.size() + 1), result.equal() ? "equal" : "different"},
                {"optimizer steps", std::to_string(result.steps), ""},
                {"state", count_text(result.numbers), "numbers: weights and moments"}},
      .figures = {},
      .tables = {},
      .preformatted_title = "What was found",
      .preformatted = to_text(result)};
  for (const VerifiedPair& pair : result.pairs) {
    if (!pair.growth.steps.empty()) page.figures.push_back(growth_figure(pair));
  }
  io::write_file_atomically(path, io::to_html(page));
}

}  // namespace phasor::run
