#include "models/task_options/squad_options.h"

#include "engine/base/error.h"
#include "io/tokenizer/wordpiece.h"
#include "models/bert/config.h"
#include "models/fields/alternatives.h"

namespace phasor::task_options {

void validate(const SquadOptions&, const architecture::ModelConfig& model) {
  constexpr std::int64_t kSegments = 2;
  const auto* bert = std::get_if<bert::Config>(&model);
  check(bert != nullptr, "data.task squad needs model.architecture bert, not {}", fields::name_of(model));
  check(bert->token_types >= kSegments,
        "model.token_types {} is less than the {} segments of SQuAD: question 0, context 1", bert->token_types,
        kSegments);
}

void resolve_model(const SquadOptions& options, architecture::ModelConfig& model) {
  constexpr std::int64_t kBertVocabSize = 30522;
  auto* bert = std::get_if<bert::Config>(&model);
  if (bert == nullptr || bert->vocab_size != 0) return;
  bert->vocab_size = options.vocab.empty() ? kBertVocabSize : io::WordPiece::load(options.vocab).vocab_size();
}

}  // namespace phasor::task_options
