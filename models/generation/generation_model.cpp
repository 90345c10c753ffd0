#include "models/generation/generation_model.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/lower/lowering.h"
#include "models/batches/step_batch.h"
#include "models/gpt2/generation.h"
#include "models/run/finite_results.h"
#include "models/run/first_weights.h"
#include "models/run/machine.h"

namespace phasor::generation {

namespace {

// Of a prompt that are read at once: enough that products of matrices do not wait for the weights, few enough that a
// short prompt is no long one.
constexpr std::int64_t kMostNew = 64;

// Of new tokens of each sequence that are read at a time, in sequences of `room` tokens.
Stages stages_of(const run::ResolvedRun& run, std::int64_t tokens, std::int64_t room) {
  return gpt2::generation_stages(std::get<gpt2::Config>(run.model),
                                 {.rows = run.micro_batch_size, .tokens = tokens, .room = room}, run.table_slices);
}

std::int64_t most_prompt_tokens(const GenerationSizes& sizes) { return std::min({kMostNew, sizes.prompt, sizes.room}); }

// Phased: its few runs would not earn the room that a second model takes.
ExecutionOptions prompt_execution(ExecutionOptions execution) {
  execution.mode = Mode::phased;
  return execution;
}

std::vector<Pipeline> programs_of(const run::ResolvedRun& run, const GenerationSizes& sizes) {
  const auto program = [&](std::int64_t tokens, const ExecutionOptions& execution) {
    const Stages stages = prepare_stages(stages_of(run, tokens, sizes.room), execution.precision);
    return lower_inference_pipeline(stages, execution);
  };
  std::vector<Pipeline> programs{program(1, run.execution)};
  const std::int64_t tokens = most_prompt_tokens(sizes);
  if (tokens > 1) programs.push_back(program(tokens, prompt_execution(run.execution)));
  return programs;
}

run::FittedPasses passes_of(const run::ResolvedRun& config, const GenerationSizes& sizes, io::Listener& listener) {
  return run::fit_passes(
      config, {.rows = sizes.sequences, .largest = config.micro_batch_size},
      [&](const run::ResolvedRun& run) { return programs_of(run, sizes); }, listener);
}

}  // namespace

GenerationModel::GenerationModel(const run::ResolvedRun& config, const GenerationSizes& sizes, io::Listener& listener)
    : passes_(passes_of(config, sizes, listener)),
      vocab_size_(std::get<gpt2::Config>(config.model).vocab_size),
      machine_(run::make_machine(config)),
      token_(stages_of(passes_.run, 1, sizes.room), 1, execution(), machine_, "token"),
      past_(static_cast<std::size_t>(sequences())),
      logits_(static_cast<std::size_t>(passes_.sizes.micro_batch_size * vocab_size_)) {
  if (const std::int64_t most = most_prompt_tokens(sizes); most > 1) {
    prompt_.emplace(stages_of(passes_.run, most, sizes.room), most, prompt_execution(execution()), machine_, "prompt");
  }
  // Those of both: they share the buffers.
  run::load_trained_weights(config, token_.predictor.stages(), token_.predictor.state(), listener);
}

std::int64_t GenerationModel::measured_peak_bytes() const {
  std::int64_t most = 0;
  for (int device = 0; device < execution().pipeline.devices; ++device) {
    const std::int64_t of_prompts = prompt_ ? prompt_->predictor.runner().high_water_bytes(device) : 0;
    most = std::max(most, of_prompts + token_.predictor.runner().high_water_bytes(device));
  }
  return most;
}

void GenerationModel::start(std::int64_t count) {
  ensure(count >= 1 && count <= sequences(), "generation: {} sequences, but {} at a time", count, sequences());
  std::ranges::fill(past_, 0);
  micro_batches_ =
      run::StepLayout{.replicas = execution().replicas, .rows = passes_.sizes.micro_batch_size}.micro_batches(count);
}

void GenerationModel::read(std::span<const NewTokens> added, const Take& take) {
  const bool single = std::ranges::all_of(added, [](const NewTokens& n) { return n.tokens.size() == 1; });
  Reader& reader = single ? token_ : *prompt_;
  // Hands part(replica, micro-batch, its first sequence, its part of `added`) every micro-batch.
  const auto of_micro_batches = [&](const auto& part) {
    auto next = added.begin();
    for (int replica = 0; replica < execution().replicas; ++replica) {
      for (int m = 0; m < micro_batches_; ++m) {
        const std::int64_t first = (std::int64_t{replica} * micro_batches_ + m) * passes_.sizes.micro_batch_size;
        const auto begin = next;
        while (next != added.end() && next->sequence < first + passes_.sizes.micro_batch_size) ++next;
        part(replica, m, first, std::span<const NewTokens>(begin, next));
      }
    }
    ensure(next == added.end(), "generation: sequence {} is none of those that were started", next->sequence);
  };
  of_micro_batches([&](int replica, int m, std::int64_t first, std::span<const NewTokens> part) {
    write_rows(reader, first, part);
    reader.tensors.write(reader.predictor, replica, m);
  });
  hold_model(&reader == &token_);
  reader.predictor.run(micro_batches_);
  std::size_t index = 0;
  of_micro_batches([&](int replica, int m, std::int64_t first, std::span<const NewTokens> part) {
    take_rows(reader, replica, m, first, part, index, take);
    index += part.size();
  });
  for (const NewTokens& n : added) past_[static_cast<std::size_t>(n.sequence)] += static_cast<int>(n.tokens.size());
}

// While prompts are read, what is carried has to be in remote memory.
void GenerationModel::hold_model(bool hold) {
  if (hold && !held_) token_.predictor.begin();
  if (!hold && held_) token_.predictor.end();
  held_ = hold;
}

// As models/gpt2/generation.h has them.
void GenerationModel::write_rows(Reader& reader, std::int64_t first_sequence, std::span<const NewTokens> added) {
  reader.tensors.clear();
  const std::span<std::int32_t> ids = reader.tensors.of<std::int32_t>("input_ids"),
                                places = reader.tensors.of<std::int32_t>("places"),
                                last = reader.tensors.of<std::int32_t>("last");
  std::ranges::fill(last, -1);
  for (const NewTokens& n : added) {
    const auto row = static_cast<std::size_t>(n.sequence - first_sequence),
               first = row * static_cast<std::size_t>(reader.tokens);
    std::ranges::copy(n.tokens, ids.subspan(first).begin());
    std::int32_t place = past_[static_cast<std::size_t>(n.sequence)];
    for (std::int32_t& token_place : places.subspan(first, n.tokens.size())) token_place = place++;
    last[row] = static_cast<std::int32_t>(n.tokens.size()) - 1;
  }
}

void GenerationModel::take_rows(const Reader& reader, int replica, int micro_batch, std::int64_t first_sequence,
                                std::span<const NewTokens> added, std::size_t first_index, const Take& take) {
  if (std::ranges::none_of(added, &NewTokens::asks)) return;
  reader.predictor.read_result("logits", replica, micro_batch, logits_);
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (!added[i].asks) continue;
    const auto row = static_cast<std::size_t>(added[i].sequence - first_sequence);
    const auto logits = std::span<const float>(logits_).subspan(row * static_cast<std::size_t>(vocab_size_),
                                                                static_cast<std::size_t>(vocab_size_));
    run::check_finite("logits", logits, execution().precision);
    take(first_index + i, logits);
  }
}

}  // namespace phasor::generation
