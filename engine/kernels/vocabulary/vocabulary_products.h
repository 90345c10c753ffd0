// The products of the vocabulary ops: of a part of the tokens with a block of the vocabulary. That these sizes, and no
// others, are multiplied is what makes bits independent of slices, of teams, and of how much is done at a time.
#pragma once

#include <vector>

#include "engine/kernels/product/product.h"
#include "engine/kernels/vocabulary/vocabulary.h"

namespace phasor::kernels {

inline constexpr std::int64_t kPieceTokens = 128;  // in a part of logits and dx: those of a block stay in a cache
inline constexpr std::int64_t kChunkTokens = 256;  // in a part of dweight, whose product sums over them

// Which products: those of so many tokens and entries.
struct PartKind {
  std::int64_t tokens = 0;  // in a part
  ProductShape (*shape)(const VocabularyShape& shape, std::int64_t tokens, std::int64_t entries);
};
extern const PartKind kLogits;   // x [tokens, width], weight [entries, width] -> [tokens, entries]
extern const PartKind kDx;       // dlogits [tokens, entries], weight [entries, width] -> [tokens, width], added
extern const PartKind kDweight;  // dlogits [tokens, entries], x [tokens, width] -> [entries, width], added

// Bytes for any of them.
struct PartBytes {
  std::int64_t scratch = 0, packed_b = 0;
};
PartBytes part_bytes(const PartKind& kind, const VocabularyShape& shape);

// One part's product. Where its b serves others, too, it is packed for them all.
struct PartProduct {
  std::int64_t tokens = 0, entries = 0;
  std::unique_ptr<Product> product;
  std::unique_ptr<Packing> packing;  // null: b is taken as it is

  std::int64_t slices() const { return packing ? packing->slices() : 0; }
  const void* b(const void* plain, const std::byte* packed) const { return packing ? packed : plain; }
};

// The products of a kind for all sizes that parts have: the last part of the tokens and the last block of the
// vocabulary may be smaller.
class PartProducts {
 public:
  PartProducts(const PartKind& kind, const VocabularyShape& shape, int workers);
  const PartProduct& of(std::int64_t tokens, std::int64_t entries) const;

 private:
  std::vector<PartProduct> all_;
};

}  // namespace phasor::kernels
