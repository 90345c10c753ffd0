// A GPT-2 that remembers what it has read of some sequences, and tells what may follow.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/train/predictor.h"
#include "io/listener/listener.h"
#include "models/batches/batch_tensors.h"
#include "models/config/resolved_run.h"
#include "models/run/fitted_passes.h"

namespace phasor::generation {

// What a model is made for; its memory follows from it.
struct GenerationSizes {
  std::int64_t sequences = 1;  // in all, which it reads as many of at a time as a pass has rows
  std::int64_t prompt = 1;     // tokens of the longest that a sequence begins with
  std::int64_t room = 1;       // tokens of a sequence at most, up to the model's positions
};

// Tokens of a sequence that follow those that have been read.
struct NewTokens {
  std::int64_t sequence = 0;
  std::span<const std::int32_t> tokens;  // 1 .. most_new()
  bool asks = true;                      // for what may follow them
};

// One pass over the weights serves all sequences. What it tells of one does not depend on what the others are, only on
// how many rows a micro-batch has, as far as products round otherwise then.
class GenerationModel {
 public:
  // With the weights of checkpoint.load, else of model.from, of which one is given. Micro-batches are smaller where the
  // device has no room for them (models/run/fitted_passes.h).
  GenerationModel(const run::ResolvedRun& config, const GenerationSizes& sizes, io::Listener& listener);

  std::int64_t sequences() const { return passes_.sizes.samples(execution().replicas); }  // at a time
  std::int64_t most_new() const { return prompt_ ? prompt_->tokens : 1; }  // tokens of a sequence at a time

  // Of a replica's fullest device, in the runs so far: of both programs, whose arenas are there together.
  std::int64_t measured_peak_bytes() const;

  // Begins with new sequences 0 .. count - 1, at most sequences(), and forgets the others.
  void start(std::int64_t count);

  // Takes, of those that ask, the logits [vocab_size] of the token that follows; `index` is that of its NewTokens.
  using Take = std::function<void(std::size_t index, std::span<const float> logits)>;
  // Reads on in the sequences that are named, which are in ascending order. Logits that are not finite are a UserError.
  void read(std::span<const NewTokens> added, const Take& take);

 private:
  struct Reader {  // of so many tokens of each sequence at a time
    Reader(const Stages& stages, std::int64_t new_tokens, const ExecutionOptions& execution, Machine& machine,
           const char* name)
        : tokens(new_tokens), predictor(stages, execution, machine, name), tensors(predictor.stages()) {}
    std::int64_t tokens;
    Predictor predictor;
    run::BatchTensors tensors;
  };

  const ExecutionOptions& execution() const { return passes_.run.execution; }
  void hold_model(bool hold);
  void write_rows(Reader& reader, std::int64_t first_sequence, std::span<const NewTokens> added);
  void take_rows(const Reader& reader, int replica, int micro_batch, std::int64_t first_sequence,
                 std::span<const NewTokens> added, std::size_t first_index, const Take& take);

  run::FittedPasses passes_;
  std::int64_t vocab_size_;
  Machine machine_;
  Reader token_;
  std::optional<Reader> prompt_;    // none where no prompt has two tokens
  std::vector<std::int32_t> past_;  // [sequences] tokens that have been read
  bool held_ = false;               // whether token_ has begun, and holds all it needs if it is monolithic
  int micro_batches_ = 1;           // of a replica, that hold the sequences
  std::vector<float> logits_;       // [rows, vocab_size] of a micro-batch
};

}  // namespace phasor::generation
