// How fast a model trains: whole optimizer steps on synthetic inputs, and the limits that it is measured against.
#pragma once

#include <string>
#include <vector>

#include "bench/product_rate.h"
#include "bench/register_peak.h"
#include "io/listener/listener.h"
#include "models/config/resolved_run.h"

namespace phasor::bench {

struct PhaseSeconds {
  std::string name;  // as in the program, of all instances together: "gradient layer"
  double seconds = 0;
};

// Of the step of median duration: its parts add up.
struct StepReport {
  double seconds = 0;
  // Of replica 0, in the order of the program, device by device; "host" is what its longest device leaves of `seconds`.
  std::vector<PhaseSeconds> phases;
  double stall_seconds = 0;         // that replica 0 waited for transfers, a device in the mean
  std::vector<double> idle_shares;  // of its devices, where there are several: of the step, waiting for each other
  double samples_per_second = 0, tokens_per_second = 0;
  double model_flops_per_second = 0;  // by definition; nothing for what is computed again
  // Of heaviest_products alone on all threads of the run, as training takes them and by the backends that are best for
  // them; 0: there are none.
  BackendRate products, best_products;
  RegisterPeak peak;               // of all threads of the run
  std::vector<std::string> notes;  // a line for each product that another backend takes faster than its own
  std::int64_t device_peak_bytes = 0, device_lower_bound_bytes = 0;  // planned, of a replica; as ProgramPlan has them
  std::int64_t arena_high_water_bytes = 0;                           // measured: of the replica that got furthest
  std::int64_t remote_bytes = 0;                                     // of all replicas together
  std::int64_t resident_peak_bytes = 0;  // of the process, up to the end of the first step: of training alone
  double loss = 0;                       // of the last step: shows that something was learnt from
  int threads = 0;                       // of all replicas together

  double share_of(double flops_per_second) const {
    return flops_per_second > 0 ? model_flops_per_second / flops_per_second : 0;
  }
};

// One step to warm up, then `steps` to measure, one at least, from random weights; needs no files. The learning rate is
// the schedule's maximum throughout.
StepReport bench_step(const run::ResolvedRun& config, int steps, io::Listener& listener);

}  // namespace phasor::bench
