// What telling digits apart is told beside its data: nothing.
#pragma once

#include "models/architecture/model_config.h"
#include "models/fields/facts.h"

namespace phasor::task_options {

struct DigitsOptions {
  static constexpr const char* kName = "digits";
};

template <fields::MaybeConst<DigitsOptions> AnyOptions, class Visitor>
void visit_fields(AnyOptions&, Visitor&&) {}

inline bool packs(const DigitsOptions&) { return false; }

void validate(const DigitsOptions& options, const architecture::ModelConfig& model);

// The images' sizes are the model's.
inline void resolve_model(const DigitsOptions&, architecture::ModelConfig&) {}

}  // namespace phasor::task_options
