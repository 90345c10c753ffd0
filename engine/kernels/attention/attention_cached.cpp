#include "engine/kernels/attention/attention_cached.h"

#include <algorithm>
#include <cmath>

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/kernels/scratch_layout.h"
#include "engine/kernels/simd/lanes.h"
#include "engine/kernels/simd/vector_math.h"

namespace phasor::kernels {

namespace {

// Of a worker: the scores of a query, and the sums of what becomes its result.
struct QueryScratch {
  explicit QueryScratch(const CachedAttentionShape& s) {
    ScratchLayout layout;
    scores = layout.add<float>(s.room);
    sums = layout.add<float>(s.head_size);
    bytes = layout.bytes();
  }
  std::int64_t scores, sums, bytes;
};

template <class T>
struct Cache {
  const CachedAttentionShape& shape;
  T* elements;

  std::int64_t hidden() const { return shape.heads * shape.head_size; }
  T* key(std::int64_t row, std::int64_t place) const { return elements + (row * shape.room + place) * 2 * hidden(); }
  T* value(std::int64_t row, std::int64_t place) const { return key(row, place) + hidden(); }
};

template <class T>
void keep(const CachedAttentionShape& s, std::int64_t token, std::int64_t place, std::span<const T> qkv,
          const Cache<T>& cache) {
  ensure(place >= 0 && place < s.room, "attention_cached: a token at place {} of a room of {}", place, s.room);
  const T* const new_key = &qkv[(token * 3 + 1) * cache.hidden()];
  std::copy_n(new_key, 2 * cache.hidden(), cache.key(token / s.tokens, place));
}

// softmax(q k') v of one head, over `keys` places.
template <class T>
void attend(const CachedAttentionShape& s, const T* query, const T* first_key, const T* first_value, std::int64_t keys,
            float* scores, float* sums, T* out) {
  const std::int64_t step = 2 * s.heads * s.head_size, size = s.head_size;
  const float scale = 1 / std::sqrt(static_cast<float>(size));
  for (std::int64_t k = 0; k < keys; ++k) {
    const T* const key = first_key + k * step;
    scores[k] = scale * lane_sum<float>(size, [=](std::int64_t d) { return to_float(query[d]) * to_float(key[d]); });
  }
  const float greatest = lane_max<float>(keys, [=](std::int64_t k) { return scores[k]; });
  for (std::int64_t k = 0; k < keys; ++k) scores[k] = vector_exp(scores[k] - greatest);
  const float total = lane_sum<float>(keys, [=](std::int64_t k) { return scores[k]; });
  std::fill_n(sums, size, 0.0f);
  for (std::int64_t k = 0; k < keys; ++k) {
    const T* const value = first_value + k * step;
    const float share = scores[k];
    for (std::int64_t d = 0; d < size; ++d) sums[d] += share * to_float(value[d]);
  }
  for (std::int64_t d = 0; d < size; ++d) out[d] = from_float<T>(sums[d] / total);
}

}  // namespace

template <class T>
void attention_cached(const CachedAttentionShape& s, std::span<const T> qkv, std::span<const std::int32_t> places,
                      std::span<const std::int32_t> last, std::span<T> cache_elements, std::span<T> out,
                      std::span<std::byte> scratch) {
  const Cache<T> cache{s, cache_elements.data()};
  const QueryScratch at(s);
  parallel_for(s.rows, [&](std::int64_t row) {
    for (std::int64_t t = row * s.tokens; t <= row * s.tokens + last[row]; ++t) keep(s, t, places[t], qkv, cache);
  });
  parallel_for(s.rows * s.heads, [&](std::int64_t task, int worker) {
    const std::int64_t row = task / s.heads, column = task % s.heads * s.head_size;
    auto* const own = scratch.data() + worker * at.bytes;
    for (std::int64_t t = 0; t < s.tokens; ++t) {
      const std::int64_t token = row * s.tokens + t;
      T* const result = &out[token * cache.hidden() + column];
      if (t > last[row]) {
        std::fill_n(result, s.head_size, T{});
        continue;
      }
      attend(s, &qkv[token * 3 * cache.hidden() + column], cache.key(row, 0) + column, cache.value(row, 0) + column,
             places[token] + 1, reinterpret_cast<float*>(own + at.scores), reinterpret_cast<float*>(own + at.sums),
             result);
    }
  });
}

std::int64_t attention_cached_scratch_bytes(const CachedAttentionShape& shape, int workers) {
  return workers * QueryScratch(shape).bytes;
}

template void attention_cached(const CachedAttentionShape&, std::span<const float>, std::span<const std::int32_t>,
                               std::span<const std::int32_t>, std::span<float>, std::span<float>, std::span<std::byte>);
template void attention_cached(const CachedAttentionShape&, std::span<const bfloat16>, std::span<const std::int32_t>,
                               std::span<const std::int32_t>, std::span<bfloat16>, std::span<bfloat16>,
                               std::span<std::byte>);

}  // namespace phasor::kernels
