// From what the user wrote to a run with nothing left open: the one way there, whatever starts the run.
#pragma once

#include "engine/base/error.h"
#include "models/plan/candidates.h"

namespace phasor::run {

// Nothing fits. Its message is a screen of lines instead of one.
class MemoryTooSmall : public UserError {
 public:
  using UserError::UserError;
};

enum class Purpose : std::uint8_t {
  train,  // fits into memory, or is refused
  show,   // as train, but what does not fit is shown as it is
  infer,  // takes little: nothing is chosen
};

struct Resolution {
  ResolvedRun run;
  MemoryUse use;  // where the purpose is not to infer
  Budgets budgets;
  std::string note;     // what was chosen, what it takes, and what 100 MiB more would buy; "" where nothing was
  std::string refusal;  // why it does not fit (refusal.h), where the purpose is to show; else ""
};

// Of the ways that are open, the run that is predicted to be the fastest among those that fit into memory; where the
// device has no limit, the one that keeps the most activations. Throws MemoryTooSmall where none fits, and UserError
// where settings contradict each other or checkpoint.load is of another model. Nothing is reserved, nothing written.
Resolution resolve_run(const RunConfig& config, Purpose purpose, const RatesOf& rates_of);
// With the rates of this machine.
Resolution resolve_run(const RunConfig& config, Purpose purpose);

}  // namespace phasor::run
