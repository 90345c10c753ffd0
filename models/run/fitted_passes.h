// The passes of a trained model, as large as the device has room for.
#pragma once

#include "io/listener/listener.h"
#include "models/batches/pass_sizes.h"
#include "models/plan/forward_memory.h"
#include "models/plan/plan_report.h"

namespace phasor::run {

// What passes are made for: so many rows in all, in micro-batches of so many at most, over so many devices of a replica
// at a time (pass_sizes.h).
struct PassRequest {
  std::int64_t rows = 1, largest = 1;
  int devices = 1;
};

struct FittedPasses {
  ResolvedRun run;  // its micro_batch_size and execution.accumulation are those of a pass
  PassSizes sizes;
  bool fit = true;  // into execution.device_memory
};

// As they are asked for, if that fits; else with weights as they lie, transfers that do not run ahead, as few slices of
// the table as fit, as far as the user has left these open; else with micro-batches as large as fit, which results
// depend on as far as products of other sizes round otherwise. Where nothing fits, those that take the least of it.
// Nothing is reserved.
FittedPasses find_passes(const ResolvedRun& run, const PassRequest& request, const ForwardPrograms& programs);

// Of `eval` on more samples than a pass takes.
EvalReport report_eval(const ResolvedRun& run);

// As find_passes, but what does not fit is a MemoryTooSmall (models/plan/resolve_run.h), and the listener hears what
// differs from what was asked for.
FittedPasses fit_passes(const ResolvedRun& run, const PassRequest& request, const ForwardPrograms& programs,
                        io::Listener& listener);

}  // namespace phasor::run
