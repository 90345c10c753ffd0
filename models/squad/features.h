// SQuAD questions as inputs of a model: [CLS] question [SEP] window of the context [SEP].
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "io/datasets/squad.h"
#include "io/listener/listener.h"
#include "io/tokenizer/wordpiece.h"

namespace phasor::squad {

struct FeatureSettings {
  std::int64_t sequence_length = 384;  // at most so many tokens in a feature
  std::int64_t document_stride = 128;  // tokens that neighbouring windows of a context share, as in Transformers
  std::int64_t max_query_length = 64;  // a longer question is cut
  bool keep_characters = false;        // fill `char_begins` and `char_ends`, to turn tokens back into text
};

// Features in the order of their questions, the windows of one question from left to right. Tokens of all features
// stand one after the other, without padding.
struct Features {
  std::int32_t pad = 0;                      // id of [PAD], to make features equally long
  std::vector<std::int64_t> rows = {0};      // [features + 1] where a feature's tokens begin
  std::vector<std::int32_t> tokens;          // [rows.back()] token ids
  std::vector<std::int32_t> char_begins;     // [rows.back()] or empty: characters of the context (code points) that a
  std::vector<std::int32_t> char_ends;       //               token of the window stands for; 0, 0 for other tokens
  std::vector<std::int32_t> questions;       // [features] index into SquadData::questions
  std::vector<std::int32_t> context_begins;  // [features] the window's first token; token type 1 from here to the end
  std::vector<std::int32_t> starts;          // [features] first and last token of the first answer; 0, the [CLS],
  std::vector<std::int32_t> ends;            //            where the window does not hold all of it

  std::int64_t size() const { return static_cast<std::int64_t>(questions.size()); }
  std::int64_t length(std::int64_t feature) const { return rows[feature + 1] - rows[feature]; }
  std::span<const std::int32_t> tokens_of(std::int64_t feature) const {
    return std::span(tokens).subspan(rows[feature], length(feature));
  }
};

// The same whatever the number of threads. Advances `progress`, if there is one, by a unit a question. Settings that
// leave no room for a context are a UserError.
Features make_features(const io::SquadData& data, const io::WordPiece& wordpiece, const FeatureSettings& settings,
                       io::Progress* progress = nullptr);

}  // namespace phasor::squad
