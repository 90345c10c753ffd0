#include "models/task_options/task_options.h"

namespace phasor::task_options {

namespace {
template <class Text, class AnyOptions>
Text* vocab_of(AnyOptions& options) {
  return std::visit(
      [](auto& task) -> Text* {
        if constexpr (requires { task.vocab; }) return &task.vocab;
        return nullptr;
      },
      options);
}
}  // namespace

bool packs(const TaskOptions& options) {
  return std::visit([](const auto& task) { return packs(task); }, options);
}

std::string* vocab(TaskOptions& options) { return vocab_of<std::string>(options); }
const std::string* vocab(const TaskOptions& options) { return vocab_of<const std::string>(options); }

void validate(const TaskOptions& options, const architecture::ModelConfig& model) {
  std::visit([&](const auto& task) { validate(task, model); }, options);
}

void resolve_model(const TaskOptions& options, architecture::ModelConfig& model) {
  std::visit([&](const auto& task) { resolve_model(task, model); }, options);
}

}  // namespace phasor::task_options
