// What answering questions on SQuAD is told: how texts become samples, and logits answers.
#pragma once

#include <cstdint>
#include <string>

#include "models/architecture/model_config.h"
#include "models/fields/facts.h"

namespace phasor::task_options {

struct SquadOptions {
  static constexpr const char* kName = "squad";
  std::string vocab;
  bool packing = true;
  std::int64_t document_stride = 128;
  std::int64_t max_query_length = 64;
  std::int64_t max_answer_length = 30;
  std::int64_t n_best = 20;
  float null_score_threshold = 0;
};

template <fields::MaybeConst<SquadOptions> AnyOptions, class Visitor>
void visit_fields(AnyOptions& c, Visitor&& visit) {
  using fields::Range, fields::kMostSize, fields::kMostFloat;
  visit("data.vocab", c.vocab, {.help = "WordPiece vocabulary, a token a line", .is_path = true});
  visit("data.packing", c.packing,
        {"samples share the rows of a micro-batch instead of being padded to model.sequence_length tokens: the same "
         "step, faster"});
  visit("data.document_stride", c.document_stride,
        {"tokens that neighbouring windows of a context share", Range{0, kMostSize, "it is a number of tokens"}});
  visit("data.max_query_length", c.max_query_length,
        {"tokens; longer questions are cut", Range{0, kMostSize, "it is a number of tokens"}});
  visit("data.max_answer_length", c.max_answer_length,
        {"tokens; longer spans are no answers", Range{1, kMostSize, "an answer has a token at least"}});
  visit("data.n_best", c.n_best,
        {"starts and ends that are combined, answers that are kept",
         Range{1, kMostSize, "one answer at least is wanted"}});
  visit("data.null_score_threshold", c.null_score_threshold,
        {"2.0: no answer if its score exceeds the best span's by more",
         Range{-kMostFloat, kMostFloat, "it is compared with differences of logits"}});
}

inline bool packs(const SquadOptions& options) { return options.packing; }

void validate(const SquadOptions& options, const architecture::ModelConfig& model);

// model.vocab_size where it is 0: that of data.vocab, or of BERT's vocabulary where there is none.
void resolve_model(const SquadOptions& options, architecture::ModelConfig& model);

}  // namespace phasor::task_options
