#include "models/tasks/task_table.h"

#include "models/digits/task.h"
#include "models/squad/task.h"
#include "models/task_options/task_options.h"
#include "models/text/task.h"

namespace phasor::tasks {

namespace {

// A row a task: whose options belong to it.
std::unique_ptr<const run::Task> make(const task_options::SquadOptions&) { return std::make_unique<squad::Squad>(); }
std::unique_ptr<const run::Task> make(const task_options::DigitsOptions&) { return std::make_unique<digits::Digits>(); }
std::unique_ptr<const run::Task> make(const task_options::TextOptions&) { return std::make_unique<text::Text>(); }

}  // namespace

std::unique_ptr<const run::Task> make_task(const run::ResolvedRun& config) {
  return std::visit([](const auto& options) { return make(options); }, config.data.task);
}

}  // namespace phasor::tasks
