// The tasks that a run may have, and what each is told of its data and answers: the one place that knows all of these.
//
// A task's options are a struct with a kName, in a file of its own that has, as functions of that struct, what stands
// below under the same name, and visit_fields (models/fields/facts.h). They are added by one more alternative here.
#pragma once

#include <string>
#include <variant>

#include "models/task_options/digits_options.h"
#include "models/task_options/squad_options.h"
#include "models/task_options/text_options.h"

namespace phasor::task_options {

using TaskOptions = std::variant<SquadOptions, DigitsOptions, TextOptions>;

// Whether samples share rows of tokens.
bool packs(const TaskOptions& options);

// The key data.vocab; null for a task without words.
std::string* vocab(TaskOptions& options);
const std::string* vocab(const TaskOptions& options);

// Throws UserError where the model is none for the task.
void validate(const TaskOptions& options, const architecture::ModelConfig& model);

// Fills what the model leaves to the data of the task: the size of its vocabulary.
void resolve_model(const TaskOptions& options, architecture::ModelConfig& model);

}  // namespace phasor::task_options
