#include "models/verify/verify.h"

#include <list>
#include <memory>

#include "models/tasks/task_table.h"
#include "models/verify/compare/lockstep.h"
#include "models/verify/executions/transformers_execution.h"
#include "models/verify/memory_claims.h"
#include "models/verify/planned_executions.h"

namespace phasor::run {

namespace {

// Executions under way, and the samples that they share where they can.
class Executions {
 public:
  Executions(const VerifyRequest& request, const PlannedExecutions& planned, io::Listener& listener)
      : request_(request), planned_(planned), listener_(listener), samples_(1) {
    samples_.front() = make_samples(planned.first.run);
  }

  ConfiguredExecution& begin_first() { return begin(planned_.first.run, *samples_.front(), next_parts()); }
  const Samples& samples() const { return *samples_.front(); }

  OtherExecution begin_other(const PlannedExecution& planned, ConfiguredExecution& first) {
    OtherExecution other{.beside = planned.beside,
                         .name = planned.name,
                         .explained = planned.explained,
                         .rounding = planned.rounding,
                         .probes = {},
                         .same_micro_batches = planned.same_micro_batches,
                         .same_sums = planned.same_sums};
    if (planned.python.empty()) {
      other.engine = &begin(planned.resolution.run, samples_of(planned), next_parts());
      other.execution = other.engine;
    } else {
      auto execution =
          std::make_unique<TransformersExecution>(planned.python, planned_.first.run, *samples_.front(), first);
      other.name = execution->name();
      other.execution = execution.get();
      executions_.push_back(std::move(execution));
    }
    for (int p = 0; p < planned.probes(); ++p) {
      other.probes.push_back(&begin(planned_.first.run, *samples_.front(), {}));
    }
    return other;
  }

 private:
  std::unique_ptr<Samples> make_samples(const ResolvedRun& run) const {
    return tasks::make_task(run)->training_samples(run, listener_);
  }
  const Samples& samples_of(const PlannedExecution& planned) {
    if (planned.same_samples) return *samples_.front();
    return *samples_.emplace_back(make_samples(planned.resolution.run));
  }

  ExecutionParts next_parts() { return request_.parts ? request_.parts(planted_++) : ExecutionParts{}; }

  ConfiguredExecution& begin(const ResolvedRun& run, const Samples& samples, ExecutionParts parts) {
    auto execution = std::make_unique<ConfiguredExecution>(run, samples, listener_, std::move(parts));
    ConfiguredExecution& begun = *execution;
    executions_.push_back(std::move(execution));
    return begun;
  }

  const VerifyRequest& request_;
  const PlannedExecutions& planned_;
  io::Listener& listener_;
  std::vector<std::unique_ptr<Samples>> samples_;       // the first one's first
  std::vector<std::unique_ptr<Execution>> executions_;  // end before the samples
  std::size_t planted_ = 0;
};

OtherExecution of_record(const RecordedRun& record, const std::string& path, std::int64_t done) {
  check(record.last_step() > done, "verify: '{}' ends with step {}, this run begins behind {}", path,
        record.last_step(), done);
  return {.beside = "this run", .name = fmt::format("'{}'", path), .explained = "", .record = &record, .probes = {}};
}

}  // namespace

VerifyResult verify(const VerifyRequest& request, io::Listener& listener) {
  check(request.steps >= 1, "verify: --steps {} compares nothing, expected 1 or more", request.steps);
  const PlannedExecutions planned = plan_executions(request, listener);
  check_memory(planned, request.activations);

  Executions executions(request, planned, listener);
  ConfiguredExecution& first = executions.begin_first();
  const std::int64_t last = total_steps(planned.first.run.training, executions.samples().size());
  check(first.done() < last, "verify: the run is finished, it has done {} of {} steps. Give a larger training.steps",
        first.done(), last);
  std::vector<OtherExecution> others;
  for (const PlannedExecution& other : planned.others) {
    others.push_back(executions.begin_other(other, first));
    const std::int64_t done = others.back().execution->done();
    check(done == first.done(), "verify: one execution begins behind step {}, another behind {}", first.done(), done);
  }
  std::list<RecordedRun> records;
  for (const std::string& path : request.records) {
    others.push_back(of_record(records.emplace_back(path), path, first.done()));
  }
  const LockstepOptions options{.steps = std::min(request.steps, last - first.done()),
                                .activations = request.activations};
  return run_lockstep(planned.name, first, others, options, listener);
}

}  // namespace phasor::run
