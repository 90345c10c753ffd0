// The sums of tokens in each block of a group, and how they are put together.
#pragma once

#include <span>

#include "engine/base/error.h"
#include "engine/kernels/vocabulary/vocabulary.h"
#include "engine/kernels/vocabulary/vocabulary_blocks.h"
#include "engine/kernels/vocabulary/vocabulary_rows.h"

namespace phasor::kernels {

// Of consecutive tokens, of which the spans speak, too.
class BlockSums {
 public:
  static std::int64_t bytes(std::int64_t blocks, std::int64_t tokens) {
    return blocks * tokens * kVocabularySums * size_of(DType::f32);
  }

  BlockSums(float* numbers, std::int64_t first_token, std::span<const std::int32_t> labels)
      : numbers_(numbers), first_token_(first_token), labels_(labels) {}

  void take(const LogitsPart& part) const {
    for (std::int64_t i = 0; i < part.tokens; ++i) {
      const std::int64_t token = part.first_token - first_token_ + i;
      sums_of_row(part.of_token(i), part.entries, labels_[token] - part.first_entry).write(of(part.block, token));
    }
  }

  // Behind what the sums are already, block by block. Those of a token without weight are 0.
  void join(std::int64_t blocks, std::span<const float> label_weights, std::span<float> sums) const {
    const auto range = [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t token = begin; token < end; ++token) {
        TokenSums all = TokenSums::read(&sums[token * kVocabularySums]);
        for (std::int64_t b = 0; b < blocks; ++b) all = joined(all, TokenSums::read(of(b, token)));
        (label_weights[token] == 0 ? TokenSums{} : all).write(&sums[token * kVocabularySums]);
      }
    };
    parallel_for_ranges(std::ssize(labels_), row_grain(blocks * kVocabularySums), range);
  }

 private:
  float* of(std::int64_t block, std::int64_t token) const {
    return numbers_ + (block * std::ssize(labels_) + token) * kVocabularySums;
  }

  float* numbers_;
  std::int64_t first_token_;
  std::span<const std::int32_t> labels_;
};

inline void ensure_inside(std::span<const std::int32_t> labels, std::span<const float> weights, std::int64_t whole) {
  for (std::size_t t = 0; t < labels.size(); ++t)
    ensure(weights[t] == 0 || (labels[t] >= 0 && labels[t] < whole),
           "vocabulary_sums: the label {} of token {} is outside the {} entries", labels[t], t, whole);
}

}  // namespace phasor::kernels
