#include "models/verify/executions/watched_step.h"

namespace phasor::run {

namespace {

double seen_step(EngineExecution& execution, const ValueObserver::See& look) {
  const ValueObserver::See see = [&](const ObservedValue& value) {
    if (execution.touch() && !value.read) execution.touch()(value);
    look(value);
  };
  Trainer& trainer = execution.trainer();
  std::vector<std::unique_ptr<ValueObserver>> observers;
  std::vector<CallObserver*> of_devices;
  const Pipeline& pipeline = trainer.runner().pipeline();
  for (int device = 0; device < pipeline.first().replicas * pipeline.size(); ++device) {
    observers.push_back(std::make_unique<ValueObserver>(trainer.stages(), see));
    of_devices.push_back(observers.back().get());
  }
  trainer.runner().observe(of_devices);
  const double loss = execution.step();
  trainer.runner().observe({});
  return loss;
}

}  // namespace

double plain_step(EngineExecution& execution) {
  return execution.touch() ? seen_step(execution, [](const ObservedValue&) {}) : execution.step();
}

double watched_step(EngineExecution& execution, StepValues& values) {
  return seen_step(execution, [&](const ObservedValue& value) { values.see(value); });
}

double disturbed_step(EngineExecution& execution, Rounding rounding, std::uint64_t seed, StepValues* values) {
  const std::int64_t step = execution.done();
  return seen_step(execution, [=](const ObservedValue& value) {
    disturb(value, rounding, seed, step);
    if (values != nullptr) values->see(value);
  });
}

}  // namespace phasor::run
