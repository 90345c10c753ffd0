// On what a figure was measured, and by which build: a figure without them says nothing.
#pragma once

#include <nlohmann/json.hpp>

namespace phasor::run {

// {"processor", "cores", "threads"}, the last as given: those that did the work.
nlohmann::ordered_json machine_facts(int threads);

// {"phasor", "compiler", "instructions", "onednn", "openblas", "blis", "eigen", "products"}. Instructions are those
// that the compiler was free to use: "baseline", "avx2", "avx512", "avx512_bf16" or "amx"; libraries choose their own
// when the program runs. Products is the row of the table that says whose products serve
// (engine/kernels/product/product_table.h).
nlohmann::ordered_json version_facts();

}  // namespace phasor::run
