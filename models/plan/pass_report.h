// What `phasor plan --passes` says: what each pass on the way from a model's stages to its plan did.
#pragma once

#include <nlohmann/json.hpp>

#include "engine/lower/lowering.h"
#include "models/config/resolved_run.h"

namespace phasor::run {

// Of all passes that a training step goes through, in their order, ending with the plan of its memory. Runs them.
std::vector<PassRecord> run_all_passes(const ResolvedRun& run);

// A table with a line a pass: the counts behind it, and those before where they are others.
std::string to_text(const std::vector<PassRecord>& records);
nlohmann::ordered_json to_json(const std::vector<PassRecord>& records);

}  // namespace phasor::run
