// Reference of engine/kernels/attention.h.
#pragma once

#include <vector>

#include "engine/kernels/attention.h"
#include "engine/kernels/reference/dropout.h"
#include "engine/kernels/reference/softmax.h"

namespace phasor::reference {

using kernels::AttentionShape;

// One head of one sample; where its elements lie.
struct AttentionHead {
  const AttentionShape& shape;
  std::int64_t sample, head;

  std::int64_t q(std::int64_t position, std::int64_t d) const { return qkv(0, position, d); }
  std::int64_t k(std::int64_t position, std::int64_t d) const { return qkv(1, position, d); }
  std::int64_t v(std::int64_t position, std::int64_t d) const { return qkv(2, position, d); }
  std::int64_t out(std::int64_t position, std::int64_t d) const {
    return ((sample * shape.sequence + position) * shape.heads + head) * shape.head_size + d;
  }
  std::int64_t mask(std::int64_t key) const { return sample * shape.sequence + key; }
  std::int64_t log_sum_exp(std::int64_t query) const { return (sample * shape.heads + head) * shape.sequence + query; }
  std::int64_t dropped(std::int64_t query, std::int64_t key) const {  // within the sample
    return (head * shape.sequence + query) * shape.sequence + key;
  }

 private:
  std::int64_t qkv(std::int64_t part, std::int64_t position, std::int64_t d) const {
    return (((sample * shape.sequence + position) * 3 + part) * shape.heads + head) * shape.head_size + d;
  }
};

template <class T>
T score_scale(const AttentionShape& shape) {
  return T(1) / std::sqrt(T(static_cast<float>(shape.head_size)));
}

// scores[key] = q k' / sqrt(head_size) + mask
template <class T>
std::vector<T> attention_scores(const AttentionHead& at, std::int64_t query, std::span<const T> qkv,
                                std::span<const T> mask) {
  std::vector<T> scores(at.shape.sequence);
  for (std::int64_t key = 0; key < at.shape.sequence; ++key) {
    T product{};
    for (std::int64_t d = 0; d < at.shape.head_size; ++d) product += qkv[at.q(query, d)] * qkv[at.k(key, d)];
    scores[key] = product * score_scale<T>(at.shape) + mask[at.mask(key)];
  }
  return scores;
}

// out = dropout(softmax(scores)) v
template <class T>
void attention(const AttentionShape& shape, const RandomPosition& position, std::span<const T> qkv,
               std::span<const T> mask, std::span<T> out, std::span<T> log_sum_exp) {
  const RandomSite site(position, shape.site);
  const DropoutRate rate(shape.dropout_probability);
  std::fill(out.begin(), out.end(), T{});
  for (std::int64_t sample = 0; sample < shape.batch; ++sample)
    for (std::int64_t head = 0; head < shape.heads; ++head)
      for (std::int64_t query = 0; query < shape.sequence; ++query) {
        const AttentionHead at{shape, sample, head};
        const std::vector<T> scores = attention_scores(at, query, qkv, mask);
        const T normaliser = reference::log_sum_exp<T>(scores);
        log_sum_exp[at.log_sum_exp(query)] = normaliser;
        for (std::int64_t key = 0; key < shape.sequence; ++key) {
          const T p = std::exp(scores[key] - normaliser);
          const T dropped = p * dropout_factor<T>(site, rate, sample, at.dropped(query, key));
          for (std::int64_t d = 0; d < shape.head_size; ++d) out[at.out(query, d)] += dropped * qkv[at.v(key, d)];
        }
      }
}

// p = exp(scores - log_sum_exp), P = dropout(p):  dv = P' dout,  dp = dropout(dout v'),
// ds = p * (dp - sum of dout * out),  dq = ds k / sqrt(head_size),  dk = ds' q / sqrt(head_size)
template <class T>
void attention_gradient(const AttentionShape& shape, const RandomPosition& position, std::span<const T> qkv,
                        std::span<const T> mask, std::span<const T> out, std::span<const T> log_sum_exp,
                        std::span<const T> dout, std::span<T> dqkv) {
  const RandomSite site(position, shape.site);
  const DropoutRate rate(shape.dropout_probability);
  std::fill(dqkv.begin(), dqkv.end(), T{});
  for (std::int64_t sample = 0; sample < shape.batch; ++sample)
    for (std::int64_t head = 0; head < shape.heads; ++head)
      for (std::int64_t query = 0; query < shape.sequence; ++query) {
        const AttentionHead at{shape, sample, head};
        const std::vector<T> scores = attention_scores(at, query, qkv, mask);
        T inner{};
        for (std::int64_t d = 0; d < shape.head_size; ++d) inner += dout[at.out(query, d)] * out[at.out(query, d)];
        for (std::int64_t key = 0; key < shape.sequence; ++key) {
          const T factor = dropout_factor<T>(site, rate, sample, at.dropped(query, key));
          const T p = std::exp(scores[key] - log_sum_exp[at.log_sum_exp(query)]);
          T dp{};
          for (std::int64_t d = 0; d < shape.head_size; ++d) dp += dout[at.out(query, d)] * qkv[at.v(key, d)] * factor;
          const T ds = p * (dp - inner) * score_scale<T>(shape);
          for (std::int64_t d = 0; d < shape.head_size; ++d) {
            dqkv[at.q(query, d)] += ds * qkv[at.k(key, d)];
            dqkv[at.k(key, d)] += ds * qkv[at.q(query, d)];
            dqkv[at.v(key, d)] += p * factor * dout[at.out(query, d)];
          }
        }
      }
}

}  // namespace phasor::reference
