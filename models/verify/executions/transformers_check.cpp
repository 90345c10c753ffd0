#include "models/verify/executions/transformers_check.h"

#include "engine/base/error.h"
#include "models/fields/alternatives.h"
#include "models/transformers/folder_kind.h"

namespace phasor::run {

namespace {

// 0 of a model that has none.
float dropout_of(const architecture::ModelConfig& model) {
  return std::visit(
      [](const auto& config) {
        if constexpr (requires { config.dropout_prob; }) {
          return config.dropout_prob;
        } else {
          return 0.0f;
        }
      },
      model);
}

}  // namespace

void check_transformers_trains(const ResolvedRun& config) {
  const OptimizerOptions& optimizer = config.training.optimizer;
  const std::string architecture = fields::name_of(config.model), task = fields::name_of(config.data.task);
  const transformers::FolderKind* kind = transformers::find_kind(architecture);
  check(kind != nullptr && kind->task == task,
        "--against transformers: the run trains a {} for {}; Transformers has {} to train beside it", architecture,
        task, transformers::all_kinds());
  const float dropout = dropout_of(config.model);
  check(dropout == 0,
        "--against transformers: model.dropout_prob is {}, and each side would drop other elements. Give "
        "--model.dropout_prob 0",
        dropout);
  check(optimizer.kind == OptimizerKind::adam,
        "--against transformers: training.optimizer.name is {}; what trains beside it knows adam and adamw alone",
        config.training.optimizer_name);
  check(!optimizer.stochastic_rounding,
        "--against transformers: training.stochastic_rounding draws at random what only Phasor draws. Give "
        "--training.stochastic_rounding false");
  check(optimizer.layer_decay == 1 && config.training.frozen.empty(),
        "--against transformers: {} is of Phasor's optimizer alone; what trains beside it updates all weights at one "
        "rate",
        optimizer.layer_decay == 1 ? "training.optimizer.frozen" : "training.optimizer.learning_rate.layer_decay");
}

}  // namespace phasor::run
