// What predicting text is told: which tokens, which see each other, and what is judged.
#pragma once

#include <cstdint>
#include <string>

#include "models/architecture/model_config.h"
#include "models/fields/facts.h"

namespace phasor::task_options {

struct TextOptions {
  static constexpr const char* kName = "text";
  std::string vocab;
  bool separate_documents = true;
  double held_out = 0;
  std::int64_t stride = 0;
};

template <fields::MaybeConst<TextOptions> AnyOptions, class Visitor>
void visit_fields(AnyOptions& c, Visitor&& visit) {
  using fields::Range, fields::kMostSize;
  visit("data.vocab", c.vocab,
        {.help = "GPT-2's tokenizer: a tokenizer.json, or a folder with one or with vocab.json and merges.txt",
         .is_path = true});
  visit("data.separate_documents", c.separate_documents,
        {"tokens see those of their document alone; else all that stand before them in a row"});
  visit("data.held_out", c.held_out,
        {"part of data.train that is evaluated instead of trained on, where there is no data.dev",
         Range{0, 1, "it is a part of the text"}});
  visit("data.stride", c.stride,
        {"evaluation: tokens from one window to the next; 0: half of model.sequence_length",
         Range{0, kMostSize, "it is a number of tokens"}});
}

// Documents share rows.
inline bool packs(const TextOptions& options) { return options.separate_documents; }

void validate(const TextOptions& options, const architecture::ModelConfig& model);

// model.vocab_size where it is 0: that of data.vocab, or of GPT-2's where there is none.
void resolve_model(const TextOptions& options, architecture::ModelConfig& model);

}  // namespace phasor::task_options
