#include "bench/kernels/table.h"
#include "engine/kernels/embedding.h"
#include "engine/kernels/reference/embedding.h"

namespace phasor::bench {

namespace {

constexpr std::int64_t kSize = kTokens * kHidden;

KernelCase embedding_case() {
  const Floats table = uniform(1, kVocabulary * kHidden), y(kSize);
  const auto ids = random_ids(2, kTokens, kVocabulary);
  return {.limit = Limit::memory,
          .work = bytes_of(2 * kSize),
          .run = [=] { kernels::embedding(kHidden, table.in(), ids, y.out()); },
          .compare =
              [=] {
                Doubles out(kSize);
                reference::embedding<double>(kHidden, widen(table), ids, out);
                return std::vector{Comparison{widen(y), out}};
              }};
}

// The table's gradient is written whole.
KernelCase embedding_gradient_case() {
  const Floats dy = uniform(1, kSize), dtable(kVocabulary * kHidden);
  const auto ids = random_ids(2, kTokens, kVocabulary);
  return {.limit = Limit::memory,
          .work = bytes_of(3 * kSize + kVocabulary * kHidden),
          .run = [=] { kernels::embedding_gradient(kHidden, -1, ids, dy.in(), dtable.out()); },
          .compare =
              [=] {
                Doubles out(kVocabulary * kHidden);
                reference::embedding_gradient<double>(kHidden, -1, ids, widen(dy), out);
                return std::vector{Comparison{widen(dtable), out}};
              }};
}

}  // namespace

KernelEntries embedding_cases() {
  return {{"embedding", [](int) { return embedding_case(); }},
          {"embedding_gradient", [](int) { return embedding_gradient_case(); }}};
}

}  // namespace phasor::bench
