// The samples of a step as models of Transformers take them: unpacked, a row each, in the order of the run.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "models/batches/samples.h"
#include "models/config/resolved_run.h"

namespace phasor::run {

struct NamedArray {
  std::string name;
  std::vector<std::int64_t> shape;  // samples first
  std::vector<std::int32_t> elements;
};

// Of SQuAD  input_ids, token_type_ids, attention_mask [samples, tokens]: 1 at a token and 0 at padding;
// start_positions,
//           end_positions [samples]
// of text   input_ids [samples, tokens]; labels [samples, tokens], the token behind each, -100 where it has no weight,
//           which is at padding
std::vector<NamedArray> transformers_batch(const ResolvedRun& config, const Samples& samples,
                                           std::span<const std::int64_t> chosen);

// Throws UserError where the task is none of these.
void check_has_transformers_batch(const ResolvedRun& config);

}  // namespace phasor::run
