// The sizes of a BERT. Devlin et al., 2018.
#pragma once

#include <cstdint>
#include <string>

#include "models/fields/facts.h"

namespace phasor::bert {

struct Config {
  static constexpr const char* kName = "bert";
  int layers = 2;
  std::int64_t hidden_size = 128;
  std::int64_t heads = 4;
  std::int64_t intermediate_size = 512;
  std::int64_t sequence_length = 384;  // of the run; max_positions is the model's
  std::int64_t max_positions = 512;
  std::int64_t vocab_size = 30522;
  std::int64_t token_types = 2;
  std::int64_t padding_token = 0;  // its word embedding gets no gradient
  float dropout_prob = 0.1f;
  float layer_norm_eps = 1e-12f;
  float initializer_range = 0.02f;
};

template <fields::MaybeConst<Config> AnyConfig, class Visitor>
void visit_fields(AnyConfig& c, Visitor&& visit) {
  using fields::Range, fields::kMostSize, fields::kSize;
  constexpr double kMostLayers = 100'000;
  visit("model.layers", c.layers, {"encoder layers", Range{1, kMostLayers, "a program lists the steps of each"}});
  visit("model.hidden_size", c.hidden_size, {"width of the activations", Range{1, kMostSize, kSize}});
  visit("model.heads", c.heads,
        {.help = "attention heads; divides hidden_size",
         .range = Range{1, kMostSize, kSize},
         .hidden_from_shapes = true});
  visit("model.intermediate_size", c.intermediate_size, {"width of the feed-forward part", Range{1, kMostSize, kSize}});
  visit("model.sequence_length", c.sequence_length,
        {"tokens of a row, of a sample and its padding; packed samples share those of a micro-batch's rows",
         Range{1, kMostSize, kSize}});
  visit("model.max_positions", c.max_positions,
        {"positions that the model has embeddings for", Range{1, kMostSize, kSize}});
  visit("model.vocab_size", c.vocab_size,
        {"tokens of the vocabulary; 0: as many as data.vocab has", Range{1, kMostSize, kSize}});
  visit("model.token_types", c.token_types, {"segment embeddings", Range{1, kMostSize, kSize}});
  visit("model.dropout_prob", c.dropout_prob,
        {"probability of dropping, everywhere", Range{0, 1, "it is a probability"}});
  visit("model.layer_norm_eps", c.layer_norm_eps,
        {.help = "added to variances",
         .range = Range{0, 1, "it is added to variances, so that their root is real"},
         .hidden_from_shapes = true});
  visit("model.initializer_range", c.initializer_range,
        {"standard deviation of initial weights", Range{0, fields::kMostFloat, "it is a spread, which has no sign"}});
}

// Throws UserError where the sizes contradict each other.
void validate(const Config& config);

// Throws UserError, showing the arithmetic, where the state or the activations of so many samples are more than a
// process can address.
void check_totals(const Config& config, std::int64_t samples);

// "12 layers of width 768, 384 tokens a sample"
std::string summary(const Config& config);

}  // namespace phasor::bert
