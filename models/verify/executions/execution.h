// One way to execute a configuration, a step at a time.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "io/listener/listener.h"
#include "models/config/resolved_run.h"
#include "models/run/steps.h"
#include "models/verify/executions/state_reader.h"
#include "models/verify/values/value_observer.h"

namespace phasor::run {

class Execution {
 public:
  virtual ~Execution() = default;

  // Runs the next step and returns its loss.
  virtual double step() = 0;
  // Steps of the run that are done.
  virtual std::int64_t done() const = 0;
  // The state behind them, which is read before the next step.
  virtual StateReader state() = 0;
};

// One by the engine, which can be looked into.
class EngineExecution : public Execution {
 public:
  virtual Trainer& trainer() = 0;
  // What changes values as they are made, as a broken kernel would; null: nothing does.
  virtual const ValueObserver::See& touch() const;

  StateReader state() override { return state_of(trainer()); }
};

// What is executed in the place of what the configuration says: where the faults of tests come from.
struct ExecutionParts {
  std::unique_ptr<Store> store;                          // null: that of the configuration
  std::function<void(LoweredTraining& lowered)> change;  // of what runs, before it is planned; null: nothing
  ValueObserver::See touch;                              // of every value that is made; null: nothing
};

// As `phasor train` does it, from checkpoint.load, model.from or model.seed on. The samples outlive it.
class ConfiguredExecution : public EngineExecution {
 public:
  ConfiguredExecution(const ResolvedRun& config, const Samples& samples, io::Listener& listener,
                      ExecutionParts parts = {});

  Trainer& trainer() override { return *trainer_; }
  double step() override { return steps_->next().front().result.loss; }
  std::int64_t done() const override { return steps_->done(); }
  std::int64_t samples_taken() const { return steps_->samples_taken(); }  // from the run's data order
  const ValueObserver::See& touch() const override { return touch_; }

 private:
  ResolvedRun config_;
  ValueObserver::See touch_;
  Machine machine_;
  std::unique_ptr<Trainer> trainer_;
  std::unique_ptr<RunSteps> steps_;
};

}  // namespace phasor::run
