#include "engine/kernels/vocabulary/vocabulary_products.h"

#include <algorithm>

#include "engine/base/error.h"

namespace phasor::kernels {

namespace {

ProductShape logits_shape(const VocabularyShape& s, std::int64_t tokens, std::int64_t entries) {
  return {.m = tokens, .n = entries, .k = s.width, .transpose_b = true, .operands = s.weight, .backend = s.products};
}
ProductShape dx_shape(const VocabularyShape& s, std::int64_t tokens, std::int64_t entries) {
  return {.m = tokens, .n = s.width, .k = entries, .operands = s.weight, .accumulate = true, .backend = s.products};
}
ProductShape dweight_shape(const VocabularyShape& s, std::int64_t tokens, std::int64_t entries) {
  return {.m = entries,
          .n = s.width,
          .k = tokens,
          .transpose_a = true,
          .operands = s.weight,
          .accumulate = true,
          .backend = s.products};
}

// Of the parts of `count`.
std::vector<std::int64_t> part_sizes(std::int64_t count, std::int64_t part) {
  std::vector<std::int64_t> sizes;
  if (count >= part) sizes.push_back(part);
  if (count % part != 0) sizes.push_back(count % part);
  return sizes;
}

// Packing repays from a few parts on.
ProductShape packed_shape(const PartKind& kind, const VocabularyShape& s, std::int64_t tokens, std::int64_t entries) {
  ProductShape product = kind.shape(s, tokens, entries);
  product.packed_b = s.tokens >= 2 * kPieceTokens && packed_b_bytes(product) > 0;
  return product;
}

template <class Use>
void for_part_shapes(const PartKind& kind, const VocabularyShape& s, Use use) {
  for (const std::int64_t tokens : part_sizes(s.tokens, kind.tokens))
    for (const std::int64_t entries : part_sizes(s.whole, s.block))
      use(tokens, entries, packed_shape(kind, s, tokens, entries));
}

}  // namespace

const PartKind kLogits{kPieceTokens, logits_shape};
const PartKind kDx{kPieceTokens, dx_shape};
const PartKind kDweight{kChunkTokens, dweight_shape};

PartBytes part_bytes(const PartKind& kind, const VocabularyShape& shape) {
  PartBytes bytes;
  for_part_shapes(kind, shape, [&](std::int64_t, std::int64_t, const ProductShape& product) {
    bytes.scratch = std::max(bytes.scratch, product_scratch_bytes(product));
    if (product.packed_b) bytes.packed_b = std::max(bytes.packed_b, packed_b_bytes(product));
  });
  return bytes;
}

PartProducts::PartProducts(const PartKind& kind, const VocabularyShape& shape, int workers) {
  for_part_shapes(kind, shape, [&](std::int64_t tokens, std::int64_t entries, const ProductShape& product) {
    all_.push_back({tokens, entries, make_product(product, workers), nullptr});
    if (product.packed_b) all_.back().packing = make_packing(product);
  });
}

const PartProduct& PartProducts::of(std::int64_t tokens, std::int64_t entries) const {
  const auto found = std::ranges::find_if(
      all_, [=](const PartProduct& part) { return part.tokens == tokens && part.entries == entries; });
  ensure(found != all_.end(), "vocabulary: no product for {} tokens and {} entries", tokens, entries);
  return *found;
}

}  // namespace phasor::kernels
