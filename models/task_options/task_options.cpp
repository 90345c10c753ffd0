#include "models/task_options/task_options.h"

namespace phasor::task_options {

bool packs(const TaskOptions& options) {
  return std::visit([](const auto& task) { return packs(task); }, options);
}

void validate(const TaskOptions& options, const architecture::ModelConfig& model) {
  std::visit([&](const auto& task) { validate(task, model); }, options);
}

void resolve_model(const TaskOptions& options, architecture::ModelConfig& model) {
  std::visit([&](const auto& task) { resolve_model(task, model); }, options);
}

}  // namespace phasor::task_options
