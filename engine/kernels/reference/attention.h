// Reference of engine/kernels/attention/attention.h.
#pragma once

#include <vector>

#include "engine/kernels/attention/attention.h"
#include "engine/kernels/reference/dropout.h"
#include "engine/kernels/reference/softmax.h"

namespace phasor::reference {

using kernels::AttentionShape;

// One head of one segment; where its elements lie. Tokens, queries and keys count from the segment's first.
struct AttentionHead {
  const AttentionShape& shape;
  Segment segment;
  std::int64_t head;

  std::int64_t q(std::int64_t token, std::int64_t d) const { return qkv(0, token, d); }
  std::int64_t k(std::int64_t token, std::int64_t d) const { return qkv(1, token, d); }
  std::int64_t v(std::int64_t token, std::int64_t d) const { return qkv(2, token, d); }
  std::int64_t out(std::int64_t token, std::int64_t d) const {
    return (place(token) * shape.heads + head) * shape.head_size + d;
  }
  std::int64_t log_sum_exp(std::int64_t query) const {
    return (segment.row * shape.heads + head) * shape.sequence + segment.first + query;
  }
  // Keys that the query attends to: so many from the segment's first on.
  std::int64_t keys(std::int64_t query) const { return shape.causal ? query + 1 : segment.tokens; }
  std::int64_t dropped(std::int64_t query, std::int64_t key) const {  // within the sample
    return (head * shape.most_tokens() + query) * shape.most_tokens() + key;
  }

 private:
  std::int64_t place(std::int64_t token) const { return segment.row * shape.sequence + segment.first + token; }
  std::int64_t qkv(std::int64_t part, std::int64_t token, std::int64_t d) const {
    return ((place(token) * 3 + part) * shape.heads + head) * shape.head_size + d;
  }
};

// Calls use(head, query) for each query of each head of each segment.
template <class Use>
void for_queries(const AttentionShape& shape, const Segments& segments, Use use) {
  for (std::int64_t row = 0; row < segments.rows(); ++row)
    for (std::int64_t n = 0; n < segments.of_a_row(); ++n)
      for (std::int64_t head = 0; head < shape.heads; ++head) {
        const AttentionHead at{shape, segments.at(row, n), head};
        for (std::int64_t query = 0; query < at.segment.tokens; ++query) use(at, query);
      }
}

template <class T>
T score_scale(const AttentionShape& shape) {
  return T(1) / std::sqrt(T(static_cast<float>(shape.head_size)));
}

// scores[key] = q k' / sqrt(head_size)
template <class T>
std::vector<T> attention_scores(const AttentionHead& at, std::int64_t query, std::span<const T> qkv) {
  std::vector<T> scores(at.keys(query));
  for (std::int64_t key = 0; key < at.keys(query); ++key) {
    T product{};
    for (std::int64_t d = 0; d < at.shape.head_size; ++d) product += qkv[at.q(query, d)] * qkv[at.k(key, d)];
    scores[key] = product * score_scale<T>(at.shape);
  }
  return scores;
}

// out = dropout(softmax(scores)) v
template <class T>
void attention(const AttentionShape& shape, const RandomPosition& position, std::span<const T> qkv,
               const Segments& segments, std::span<T> out, std::span<T> log_sum_exp) {
  const RandomSite site(position, shape.site);
  const DropoutRate rate(shape.dropout_probability);
  std::fill(out.begin(), out.end(), T{});
  std::fill(log_sum_exp.begin(), log_sum_exp.end(), T{});
  for_queries(shape, segments, [&](const AttentionHead& at, std::int64_t query) {
    const std::vector<T> scores = attention_scores(at, query, qkv);
    const T normaliser = reference::log_sum_exp<T>(scores);
    log_sum_exp[at.log_sum_exp(query)] = normaliser;
    for (std::int64_t key = 0; key < at.keys(query); ++key) {
      const T p = std::exp(scores[key] - normaliser);
      const T dropped = p * dropout_factor<T>(site, rate, at.segment.sample, at.dropped(query, key));
      for (std::int64_t d = 0; d < shape.head_size; ++d) out[at.out(query, d)] += dropped * qkv[at.v(key, d)];
    }
  });
}

// p = exp(scores - log_sum_exp), P = dropout(p):  dv = P' dout,  dp = dropout(dout v'),
// ds = p * (dp - sum of dout * out),  dq = ds k / sqrt(head_size),  dk = ds' q / sqrt(head_size)
template <class T>
void attention_gradient(const AttentionShape& shape, const RandomPosition& position, std::span<const T> qkv,
                        const Segments& segments, std::span<const T> out, std::span<const T> log_sum_exp,
                        std::span<const T> dout, std::span<T> dqkv) {
  const RandomSite site(position, shape.site);
  const DropoutRate rate(shape.dropout_probability);
  std::fill(dqkv.begin(), dqkv.end(), T{});
  for_queries(shape, segments, [&](const AttentionHead& at, std::int64_t query) {
    const std::vector<T> scores = attention_scores(at, query, qkv);
    T inner{};
    for (std::int64_t d = 0; d < shape.head_size; ++d) inner += dout[at.out(query, d)] * out[at.out(query, d)];
    for (std::int64_t key = 0; key < at.keys(query); ++key) {
      const T factor = dropout_factor<T>(site, rate, at.segment.sample, at.dropped(query, key));
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
  });
}

}  // namespace phasor::reference
