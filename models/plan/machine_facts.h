// On what a figure was measured, and by which build: a figure without them says nothing.
#pragma once

#include <nlohmann/json.hpp>

namespace phasor::run {

// {"processor", "cores", "threads"}, the last as given: those that did the work.
nlohmann::ordered_json machine_facts(int threads);

// {"phasor", "compiler", "eigen"}
nlohmann::ordered_json version_facts();

}  // namespace phasor::run
