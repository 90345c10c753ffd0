#include "models/task_options/text_options.h"

#include "engine/base/error.h"
#include "io/byte_pair/byte_pair_encoding.h"
#include "models/fields/alternatives.h"
#include "models/gpt2/config.h"

namespace phasor::task_options {

void validate(const TextOptions& options, const architecture::ModelConfig& model) {
  const auto* gpt2 = std::get_if<gpt2::Config>(&model);
  check(gpt2 != nullptr, "data.task text needs model.architecture gpt2, not {}", fields::name_of(model));
  check(options.held_out < 1, "data.held_out {} leaves nothing to train on", options.held_out);
  check(options.stride <= gpt2->sequence_length,
        "data.stride {} is more than model.sequence_length {}: tokens between windows would not be scored",
        options.stride, gpt2->sequence_length);
}

void resolve_model(const TextOptions& options, architecture::ModelConfig& model) {
  constexpr std::int64_t kGpt2VocabSize = 50257;
  auto* gpt2 = std::get_if<gpt2::Config>(&model);
  if (gpt2 == nullptr || gpt2->vocab_size != 0) return;
  gpt2->vocab_size = options.vocab.empty() ? kGpt2VocabSize : io::BytePairEncoding::load(options.vocab).vocab_size();
}

}  // namespace phasor::task_options
