#include "bench/kernels/map_case.h"
#include "engine/kernels/embedding.h"
#include "engine/kernels/reference/embedding.h"

namespace phasor::bench {

namespace {

constexpr std::int64_t kEmbedded = kTokens * kHidden;

template <class T>
KernelCase embedding_case() {
  const Elements<T> table = uniform<T>(1, kVocabulary * kHidden), y(kEmbedded);
  const auto ids = random_ids(2, kTokens, kVocabulary);
  return {.limit = Limit::memory,
          .type = dtype_of<T>,
          .work = bytes_of<T>(2 * kEmbedded),
          .run = [=] { kernels::embedding<T>(kHidden, table.in(), ids, y.out()); },
          .compare =
              [=] {
                Doubles out(kEmbedded);
                reference::embedding<double>(kHidden, widen(table), ids, out);
                return std::vector{Comparison{widen(y), out}};
              }};
}

// The second of two slices: half of the rows are replaced.
template <class T>
KernelCase embedding_slice_case() {
  constexpr std::int64_t kEntries = kVocabulary / 2;
  const kernels::TableSlice slice{.first = kEntries, .whole = kVocabulary};
  const Elements<T> table = uniform<T>(1, kEntries * kHidden), y(kEmbedded);
  const auto ids = random_ids(2, kTokens, kVocabulary);
  return {.limit = Limit::memory,
          .type = dtype_of<T>,
          .work = bytes_of<T>(kEmbedded),
          .run = [=] { kernels::embedding_slice<T>(kHidden, slice, table.in(), ids, y.out()); },
          .compare =
              [=] {
                Doubles out(kEmbedded);
                reference::embedding_slice<double>(kHidden, slice.first, widen(table), ids, out);
                return std::vector{Comparison{widen(y), out}};
              }};
}

// The table's gradient is written whole.
template <class T>
KernelCase embedding_gradient_case() {
  const Elements<T> dy = uniform<T>(1, kEmbedded);
  const Floats dtable(kVocabulary * kHidden);
  const auto ids = random_ids(2, kTokens, kVocabulary);
  return {.limit = Limit::memory,
          .type = dtype_of<T>,
          .work = bytes_of<T>(kEmbedded) + bytes_of(2 * kEmbedded + kVocabulary * kHidden),
          .run = [=] { kernels::embedding_gradient<T>(kHidden, -1, ids, dy.in(), dtable.out()); },
          .compare =
              [=] {
                Doubles out(kVocabulary * kHidden);
                reference::embedding_gradient<double>(kHidden, -1, ids, widen(dy), out);
                return std::vector{Comparison{widen(dtable), out}};
              }};
}

// Adds to the table's gradient, entry by entry. Every run adds once more, so the first run is compared.
template <class T>
KernelCase embedding_gradient_add_case() {
  const Elements<T> dy = uniform<T>(1, kEmbedded);
  const Floats sum(kVocabulary * kHidden), scratch(kernels::embedding_gradient_add_scratch(kTokens));
  const auto ids = random_ids(2, kTokens, kVocabulary);
  return {.limit = Limit::memory,
          .type = dtype_of<T>,
          .work = bytes_of<T>(kEmbedded) + bytes_of(2 * kEmbedded),
          .run = [=] { kernels::embedding_gradient_add<T>(kHidden, -1, ids, dy.in(), sum.out(), scratch.out()); },
          .compare =
              [=] {
                Doubles out(kVocabulary * kHidden);
                reference::embedding_gradient<double>(kHidden, -1, ids, widen(dy), out);
                return std::vector{Comparison{widen(sum), out}};
              }};
}

}  // namespace

KernelEntries embedding_cases() {
  return in_both_types([]<class T> {
    return KernelEntries{
        {case_name<T>("embedding"), [](int) { return embedding_case<T>(); }},
        {case_name<T>("embedding_slice"), [](int) { return embedding_slice_case<T>(); }},
        {case_name<T>("embedding_gradient"), [](int) { return embedding_gradient_case<T>(); }},
        {case_name<T>("embedding_gradient_add"), [](int) { return embedding_gradient_add_case<T>(); }}};
  });
}

}  // namespace phasor::bench
