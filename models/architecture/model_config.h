// The architectures that a run may train, and what every run asks of its model: the one place that knows them all.
//
// An architecture is a struct of sizes in a folder of its own, which keeps the contract (contract.h) and lists its keys
// (models/fields/facts.h). It is added by one more alternative here.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "engine/ir/stage.h"
#include "models/bert/config.h"
#include "models/convnet/config.h"
#include "models/gpt2/config.h"
#include "models/layers/micro_batch.h"

namespace phasor::architecture {

using ModelConfig = std::variant<bert::Config, convnet::Config, gpt2::Config>;

// Throws UserError where the sizes contradict each other.
void validate(const ModelConfig& model);

// Throws UserError, showing the arithmetic, where the state or the activations of so many samples are more than a
// process can address. The sizes have been found in their ranges.
void check_totals(const ModelConfig& model, std::int64_t samples);

// Stages for such micro-batches, with a loss or with results. A table that can be sliced is in at most
// `slices` slices (engine/ir/stage.h).
Stages training_stages(const ModelConfig& model, layers::MicroBatch batch, std::int64_t slices = 1);
Stages inference_stages(const ModelConfig& model, layers::MicroBatch batch, std::int64_t slices = 1);

// Of a sample's forward and backward pass by definition, whatever an execution does.
double training_flops_per_sample(const ModelConfig& model);

// The model in a few words: "12 layers of width 768, 384 tokens a sample".
std::string summary(const ModelConfig& model);

// Of the config's field `layers`: how many instances the stage has of which a model is deep; 0 without such a field.
int layers(const ModelConfig& model);
// The same model with another number of them. It has them.
ModelConfig with_layers(ModelConfig model, int layers);

// Tokens of a row of its activations, the config's field `sequence_length`; 0: its samples are not made of tokens.
std::int64_t row_tokens(const ModelConfig& model);
// Sets it, as far as there is such a field.
void set_row_tokens(ModelConfig& model, std::int64_t tokens);

// Rows of the table that can be sliced, the config's field `vocab_size`; 0: there is none.
std::int64_t table_rows(const ModelConfig& model);

}  // namespace phasor::architecture
