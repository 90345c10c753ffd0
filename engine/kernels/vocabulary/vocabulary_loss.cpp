#include <cmath>

#include "engine/kernels/simd/pieces.h"
#include "engine/kernels/vocabulary/vocabulary.h"
#include "engine/kernels/vocabulary/vocabulary_rows.h"

namespace phasor::kernels {

void vocabulary_loss(std::span<const float> sums, std::span<const float> label_weights, std::span<float> loss) {
  const auto tokens = static_cast<std::int64_t>(label_weights.size());
  loss[0] = static_cast<float>(sum_of_pieces(tokens, kGrain, [&](std::int64_t begin, std::int64_t end) {
    double sum = 0;
    for (std::int64_t t = begin; t < end; ++t) {
      if (label_weights[t] == 0) continue;
      const TokenSums token = TokenSums::read(&sums[t * kVocabularySums]);
      sum += double{label_weights[t]} *
             (std::log(double{token.sum}) - (double{token.label_logit} - double{token.greatest}));
    }
    return sum;
  }));
}

void vocabulary_loss_gradient(std::span<const float> sums, std::span<const float> label_weights,
                              std::span<const float> dloss, std::span<float> dsums) {
  const auto tokens = static_cast<std::int64_t>(label_weights.size());
  parallel_for_ranges(tokens, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t t = begin; t < end; ++t) {
      const TokenSums token = TokenSums::read(&sums[t * kVocabularySums]);
      const float coefficient = dloss[0] * label_weights[t];
      const bool counts = label_weights[t] != 0;
      float* const message = &dsums[t * kVocabularySums];
      message[0] = counts ? token.greatest : 0;
      message[1] = counts ? coefficient / token.sum : 0;
      message[2] = counts ? coefficient : 0;
    }
  });
}

}  // namespace phasor::kernels
