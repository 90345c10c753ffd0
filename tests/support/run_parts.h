// The alternatives of a RunConfig that the tests run: a BERT, and SQuAD.
#pragma once

#include "models/config/run_config.h"

namespace phasor::test {

inline bert::Config& bert_of(run::RunConfig& config) { return std::get<bert::Config>(config.model); }
inline const bert::Config& bert_of(const run::RunConfig& config) { return std::get<bert::Config>(config.model); }

inline task_options::SquadOptions& squad_of(run::RunConfig& config) {
  return std::get<task_options::SquadOptions>(config.data.task);
}

}  // namespace phasor::test
