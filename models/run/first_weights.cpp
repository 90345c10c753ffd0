#include "models/run/first_weights.h"

#include <algorithm>
#include <fmt/format.h>

#include "models/run/machine.h"
#include "models/transformers/folder_kind.h"
#include "models/transformers/folder_weights.h"

namespace phasor::run {

namespace {

void tell_differences(const std::string& folder, const transformers::FolderWeights& weights, std::string_view head,
                      std::int64_t seed, io::Listener& listener) {
  constexpr std::size_t kMostNames = 16;
  if (!weights.has_head()) {
    listener.note(fmt::format("{}: no {}; it is initialised from model.seed {}", folder, head, seed));
  }
  const std::vector<std::string>& unused = weights.unused();
  if (unused.empty()) return;
  const auto named = std::span(unused).first(std::min(kMostNames, unused.size()));
  const std::size_t more = unused.size() - named.size();
  listener.note(fmt::format("{}: not used: {}{}", folder, fmt::join(named, ", "),
                            more > 0 ? fmt::format(" and {} more", more) : ""));
}

}  // namespace

void check_first_weights(const ResolvedRun& config) {
  if (!config.checkpoint.load.empty()) {
    read_position(config.checkpoint.load);
  } else if (!config.model_from.empty()) {
    transformers::FolderWeights(config.model_from, transformers::kind_of(config.model).tensors,
                                canonical_tensors(architecture::inference_stages(config.model, 1)));
  }
}

void load_folder(const std::string& folder, const architecture::ModelConfig& model, std::int64_t seed,
                 const Stages& stages, ModelState& state, io::Listener& listener) {
  const std::vector<CanonicalTensor> tensors = canonical_tensors(stages);
  const transformers::TensorNames& names = transformers::kind_of(model).tensors;
  const transformers::FolderWeights weights(folder, names, tensors);
  tell_differences(folder, weights, names.head_help, seed, listener);
  const auto progress = listener.progress("weights", std::ssize(tensors), "tensors");
  state.initialise(static_cast<std::uint64_t>(seed));
  for (const CanonicalTensor& tensor : tensors) {
    if (weights.has(tensor)) state.write(StateKind::weight, tensor, weights.read(tensor));
    progress->advance();
  }
}

RunPosition load_first_weights(const ResolvedRun& config, const Stages& stages, ModelState& state,
                               io::Listener& listener) {
  if (!config.checkpoint.load.empty()) {
    RunPosition position = read_position(config.checkpoint.load);
    load_checkpoint(config.checkpoint.load, stages, state, listener);
    return position;
  }
  use_all_threads(config);
  if (!config.model_from.empty()) {
    load_folder(config.model_from, config.model, config.seed, stages, state, listener);
  } else {
    state.initialise(static_cast<std::uint64_t>(config.seed));
  }
  return {};
}

void load_trained_weights(const ResolvedRun& config, const Stages& stages, ModelState& state, io::Listener& listener) {
  if (!config.checkpoint.load.empty()) {
    load_weights(config.checkpoint.load, stages, state, listener);
  } else {
    load_folder(config.model_from, config.model, config.seed, stages, state, listener);
  }
}

}  // namespace phasor::run
