// Reference of engine/kernels/attention/attention_cached.h.
#pragma once

#include <vector>

#include "engine/kernels/attention/attention_cached.h"
#include "engine/kernels/reference/softmax.h"

namespace phasor::reference {

// out = softmax(q k' / sqrt(head_size)) v over all places up to the token's own, once its key and value are there
template <class T>
void attention_cached(const kernels::CachedAttentionShape& s, std::span<const T> qkv,
                      std::span<const std::int32_t> places, std::span<const std::int32_t> last, std::span<T> cache,
                      std::span<T> out) {
  const std::int64_t hidden = s.heads * s.head_size;
  std::fill(out.begin(), out.end(), T{});
  for (std::int64_t row = 0; row < s.rows; ++row) {
    for (std::int64_t t = row * s.tokens; t <= row * s.tokens + last[row]; ++t) {
      T* const kept = &cache[row * s.room * 2 * hidden];
      for (std::int64_t i = 0; i < 2 * hidden; ++i) kept[places[t] * 2 * hidden + i] = qkv[(t * 3 + 1) * hidden + i];
      for (std::int64_t head = 0; head < s.heads; ++head) {
        std::vector<T> scores(places[t] + 1);
        for (std::int64_t k = 0; k <= places[t]; ++k) {
          for (std::int64_t i = head * s.head_size; i < (head + 1) * s.head_size; ++i)
            scores[k] += qkv[t * 3 * hidden + i] * kept[k * 2 * hidden + i];
          scores[k] /= std::sqrt(T(static_cast<float>(s.head_size)));
        }
        const T normaliser = log_sum_exp<T>(scores);
        for (std::int64_t k = 0; k <= places[t]; ++k)
          for (std::int64_t i = head * s.head_size; i < (head + 1) * s.head_size; ++i)
            out[t * hidden + i] += std::exp(scores[k] - normaliser) * kept[(k * 2 + 1) * hidden + i];
      }
    }
  }
}

}  // namespace phasor::reference
