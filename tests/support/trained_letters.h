// Runs on letter files (letter_files.h), trained and scored without a word.
#pragma once

#include "models/run/training.h"
#include "models/squad/evaluation.h"
#include "models/squad/task.h"

namespace phasor::test {

inline run::TrainingOutcome train_squad(const run::RunConfig& config, const std::string& record,
                                        const std::string& output, const run::NamedTexts& machine = {},
                                        io::Listener& listener = io::silent()) {
  run::RunFolder folder(output);
  return run::train(squad::Squad(),
                    {.run = run::settle_defaults(config), .record = record, .machine = machine, .changes = {}}, folder,
                    listener);
}

inline squad::Evaluation evaluate_squad(const run::RunConfig& config) {
  return squad::evaluate(run::settle_defaults(config), io::silent());
}

}  // namespace phasor::test
