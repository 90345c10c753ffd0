// What works on whole rows: layer norm, cross-entropy, embedding.
#include "engine/kernels/embedding.h"
#include "engine/kernels/loss.h"
#include "engine/kernels/norm.h"
#include "engine/kernels/reference/embedding.h"
#include "engine/kernels/reference/loss.h"
#include "engine/kernels/reference/norm.h"
#include "tests/bench/kernel_case.h"

namespace phasor::bench {

namespace {

using test::widen;

constexpr float kEps = 1e-12f;
constexpr std::int64_t kSize = kTokens * kHidden;

Case layer_norm_case() {
  const Floats &x = keep(test::uniform(1, kSize)), &gain = keep(test::uniform(2, kHidden));
  const Floats& beta = keep(test::uniform(3, kHidden));
  Floats &y = keep(Floats(kSize)), &mean = keep(Floats(kTokens)), &rstd = keep(Floats(kTokens));
  return {.name = "layer_norm",
          .unit = "GB/s",
          .work = bytes_of(2 * kSize),
          .run = [&] { kernels::layer_norm<float>(kEps, x, gain, beta, y, mean, rstd); },
          .results = y,
          .expected =
              [&] {
                Doubles out(kSize), mean_out(kTokens), rstd_out(kTokens);
                reference::layer_norm<double>(kEps, widen(x), widen(gain), widen(beta), out, mean_out, rstd_out);
                return out;
              }};
}

Case layer_norm_gradient_case() {
  const Floats &x = keep(test::uniform(1, kSize)), &gain = keep(test::uniform(2, kHidden));
  const Floats &dy = keep(test::uniform(4, kSize)), &mean = keep(Floats(kTokens)), &rstd = keep(Floats(kTokens, 1.7f));
  Floats &dx = keep(Floats(kSize)), &dgain = keep(Floats(kHidden)), &dbeta = keep(Floats(kHidden));
  Floats& scratch = keep(Floats(kernels::layer_norm_gradient_scratch(kTokens, kHidden)));
  return {.name = "layer_norm_gradient",
          .unit = "GB/s",
          .work = bytes_of(3 * kSize),
          .run = [&] { kernels::layer_norm_gradient<float>(x, gain, mean, rstd, dy, dx, dgain, dbeta, scratch); },
          .results = dx,
          .expected =
              [&] {
                Doubles out(kSize), dgain_out(kHidden), dbeta_out(kHidden);
                reference::layer_norm_gradient<double>(widen(x), widen(gain), widen(mean), widen(rstd), widen(dy), out,
                                                       dgain_out, dbeta_out);
                return out;
              }};
}

// As for masked language modelling: 256 predictions over the vocabulary.
constexpr std::int64_t kPredictions = 256;

Case cross_entropy_case() {
  const Floats &logits = keep(test::uniform(1, kPredictions * kVocabulary)),
               &weights = keep(Floats(kPredictions, 1.0f));
  const auto labels = test::random_ids(2, kPredictions, kVocabulary);
  Floats& loss = keep(Floats(1));
  return {.name = "cross_entropy",
          .unit = "GB/s",
          .work = bytes_of(kPredictions * kVocabulary),
          .run = [&, labels] { kernels::cross_entropy(logits, labels, weights, loss); },
          .results = loss,
          .expected =
              [&, labels] {
                Doubles out(1);
                reference::cross_entropy<double>(widen(logits), labels, widen(weights), out);
                return out;
              }};
}

Case cross_entropy_gradient_case() {
  const Floats &logits = keep(test::uniform(1, kPredictions * kVocabulary)),
               &weights = keep(Floats(kPredictions, 1.0f));
  const Floats& dloss = keep({0.5f});
  const auto labels = test::random_ids(2, kPredictions, kVocabulary);
  Floats& dlogits = keep(Floats(logits.size()));
  return {.name = "cross_entropy_gradient",
          .unit = "GB/s",
          .work = bytes_of(2 * kPredictions * kVocabulary),
          .run = [&, labels] { kernels::cross_entropy_gradient(logits, labels, weights, dloss, dlogits); },
          .results = dlogits,
          .expected =
              [&, labels] {
                Doubles out(logits.size());
                reference::cross_entropy_gradient<double>(widen(logits), labels, widen(weights), widen(dloss), out);
                return out;
              }};
}

Case embedding_case() {
  const Floats& table = keep(test::uniform(1, kVocabulary * kHidden));
  const auto ids = test::random_ids(2, kTokens, kVocabulary);
  Floats& y = keep(Floats(kSize));
  return {.name = "embedding",
          .unit = "GB/s",
          .work = bytes_of(2 * kSize),
          .run = [&, ids] { kernels::embedding<float>(kHidden, table, ids, y); },
          .results = y,
          .expected =
              [&, ids] {
                Doubles out(kSize);
                reference::embedding<double>(kHidden, widen(table), ids, out);
                return out;
              }};
}

// The table's gradient is written whole.
Case embedding_gradient_case() {
  const Floats& dy = keep(test::uniform(1, kSize));
  const auto ids = test::random_ids(2, kTokens, kVocabulary);
  Floats& dtable = keep(Floats(kVocabulary * kHidden));
  return {.name = "embedding_gradient",
          .unit = "GB/s",
          .work = bytes_of(3 * kSize + kVocabulary * kHidden),
          .run = [&, ids] { kernels::embedding_gradient<float>(kHidden, -1, ids, dy, dtable); },
          .results = dtable,
          .expected =
              [&, ids] {
                Doubles out(dtable.size());
                reference::embedding_gradient<double>(kHidden, -1, ids, widen(dy), out);
                return out;
              }};
}

}  // namespace

std::vector<Case> row_cases() {
  return {layer_norm_case(),         layer_norm_gradient_case(), embedding_case(),
          embedding_gradient_case(), cross_entropy_case(),       cross_entropy_gradient_case()};
}

}  // namespace phasor::bench
