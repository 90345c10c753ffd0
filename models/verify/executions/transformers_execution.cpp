#include "models/verify/executions/transformers_execution.h"

#include <algorithm>

#include "engine/base/error.h"
#include "models/fields/alternatives.h"
#include "models/transformers/folder_kind.h"
#include "models/transformers/folder_writer.h"
#include "models/verify/executions/transformers_batch.h"

namespace phasor::run {

namespace {

// Whether weight decay acts on it.
bool decays(const Stages& stages, const CanonicalTensor& tensor) {
  const VariablePlace owner = owner_of(stages, {tensor.stage, tensor.variable});
  return stages[owner.stage].variables[owner.variable].decays;
}

nlohmann::json settings_of_adam(const OptimizerOptions& optimizer) {
  return {{"beta1", optimizer.beta1},
          {"beta2", optimizer.beta2},
          {"eps", optimizer.eps},
          {"weight_decay", optimizer.weight_decay},
          {"decoupled", optimizer.decoupled_weight_decay},
          {"bias_correction", optimizer.bias_correction},
          {"max_grad_norm", optimizer.max_grad_norm}};
}

template <class T>
std::span<const std::byte> bytes_of(const std::vector<T>& elements) {
  return std::as_bytes(std::span(elements));
}

}  // namespace

TransformersExecution::TransformersExecution(const std::string& python, const ResolvedRun& config,
                                             const Samples& samples, ConfiguredExecution& first)
    : config_(config),
      samples_(samples),
      schedule_(schedule_of(config.training, samples.size())),
      order_(static_cast<std::uint64_t>(config.seed), samples.size()),
      done_(first.done()),
      taken_(first.samples_taken()),
      tensors_(canonical_tensors(first.trainer().stages())),
      python_(python) {
  for (const CanonicalTensor& tensor : tensors_) numbers_.emplace(tensor.name, numbers_.size());
  const nlohmann::json versions = python_.receive();
  check(!versions.contains("missing"),
        "--against transformers: '{0}' has no {1}. Install it: {0} -m pip install torch transformers", python,
        versions.value("missing", ""));
  name_ = fmt::format("transformers {} with torch {}", versions.value("transformers", ""), versions.value("torch", ""));
  write_model(first);
  begin(first);
}

void TransformersExecution::write_model(ConfiguredExecution& first) {
  const transformers::FolderKind& kind = transformers::kind_of(config_.model);
  std::vector<transformers::TextFile> texts = kind.text_files(config_.model, {}, io::StoredType::f32);
  std::erase_if(texts, [](const auto& file) { return file.name != transformers::kConfigFile; });  // no tokenizer
  const ModelState& state = first.trainer().state();
  transformers::write_folder(python_.folder() + "/model", {.texts = std::move(texts),
                                                           .tensors = tensors_,
                                                           .type = io::StoredType::f32,
                                                           .read = [&](const CanonicalTensor& tensor) {
                                                             return state.read(StateKind::weight, tensor);
                                                           }});
}

void TransformersExecution::begin(ConfiguredExecution& first) {
  const Stages& stages = first.trainer().stages();
  const ModelState& state = first.trainer().state();
  nlohmann::json tensors = nlohmann::json::array();
  for (const CanonicalTensor& tensor : tensors_) {
    tensors.push_back({{"name", tensor.name}, {"decays", decays(stages, tensor)}});
  }
  const bool has_moments = done_ > 0;  // else they are 0
  const nlohmann::json message{{"task", fields::name_of(config_.data.task)},
                               {"folder", python_.folder() + "/model"},
                               {"threads", config_.all_threads()},
                               {"micro_batch", config_.micro_batch_size},
                               {"adam", settings_of_adam(config_.training.optimizer)},
                               {"done", done_},
                               {"moments", has_moments},
                               {"tensors", std::move(tensors)}};
  python_.send(message);
  for (std::size_t kind = 0; kind < kKinds.size(); ++kind) {
    for (const CanonicalTensor& tensor : tensors_) {
      state_[kind].emplace_back(static_cast<std::size_t>(tensor.shape.elements()));
      if (!has_moments || kKinds[kind] == StateKind::weight) continue;
      python_.send(bytes_of(state.read(kKinds[kind], tensor)));
    }
  }
}

double TransformersExecution::step() {
  order_.choose(taken_, config_.training.global_batch_size, chosen_);
  const std::vector<NamedArray> arrays = transformers_batch(config_, samples_, chosen_);
  nlohmann::json described = nlohmann::json::array();
  for (const NamedArray& array : arrays) described.push_back({{"name", array.name}, {"shape", array.shape}});
  const nlohmann::json message{{"rate", learning_rate(schedule_, done_)}, {"arrays", std::move(described)}};
  python_.send(message);
  for (const NamedArray& array : arrays) python_.send(bytes_of(array.elements));
  const nlohmann::json outcome = python_.receive();
  for (std::vector<std::vector<float>>& of_kind : state_) {
    for (std::vector<float>& tensor : of_kind) python_.receive(std::as_writable_bytes(std::span(tensor)));
  }
  done_ += 1;
  taken_ += std::ssize(chosen_);
  return std::stod(outcome.at("loss").get<std::string>());
}

StateReader TransformersExecution::state() {
  return [this](StateKind kind, const CanonicalTensor& tensor, const Shape&) {
    const auto number = numbers_.find(tensor.name);
    ensure(number != numbers_.end(), "verify: no tensor '{}' of Transformers", tensor.name);
    const auto place = std::ranges::find(kKinds, kind) - kKinds.begin();
    const std::vector<float>& values = state_[static_cast<std::size_t>(place)][number->second];
    return [&values](std::int64_t first, std::span<float> to) {
      std::ranges::copy(std::span(values).subspan(static_cast<std::size_t>(first), to.size()), to.begin());
    };
  };
}

}  // namespace phasor::run
