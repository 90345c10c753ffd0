// What attention prepares for a block of queries, and has in scratch for it. Multiplied is the type of its operands.
#pragma once

#include <algorithm>
#include <memory>

#include "engine/kernels/attention/attention.h"
#include "engine/kernels/attention/query_blocks.h"
#include "engine/kernels/product/product.h"
#include "engine/kernels/scratch_layout.h"

namespace phasor::kernels {

// The two products of a block.
struct ForwardShapes {
  ProductShape scores, out;
};
template <class Multiplied>
ForwardShapes forward_shapes(const AttentionShape& s, const QueryBlock& block) {
  ProductShape scores{.m = block.rows, .n = block.keys, .k = s.head_size, .transpose_b = true};
  ProductShape out{.m = block.rows, .n = s.head_size, .k = block.keys};
  scores.operands = out.operands = dtype_of<Multiplied>;
  scores.backend = out.backend = s.products;
  return {scores, out};
}

template <class Multiplied>
struct ForwardProducts {
  ForwardProducts(const AttentionShape& shape, const QueryBlock& block, int workers)
      : scores(make_product(forward_shapes<Multiplied>(shape, block).scores, workers)),
        out(make_product(forward_shapes<Multiplied>(shape, block).out, workers)) {}
  std::int64_t scratch_bytes() const { return std::max(scores->scratch_bytes(), out->scratch_bytes()); }

  std::unique_ptr<Product> scores, out;
};

// The same without preparing them.
template <class Multiplied>
struct ForwardBytes {
  ForwardBytes(const AttentionShape& shape, const QueryBlock& block, int) {
    const ForwardShapes shapes = forward_shapes<Multiplied>(shape, block);
    bytes = std::max(product_scratch_bytes(shapes.scores), product_scratch_bytes(shapes.out));
  }
  std::int64_t scratch_bytes() const { return bytes; }

  std::int64_t bytes;
};

// A worker's scratch, in bytes from its start.
template <class Multiplied>
struct ForwardScratch {
  ForwardScratch(const AttentionShape& s, const QueryBlocks& blocks, std::int64_t product_bytes) {
    ScratchLayout layout;
    const std::int64_t queries = blocks.rows, keys = blocks.size;
    weights = layout.add<Multiplied>(keys);  // their first row; the others take the place of scores
    scores = layout.add<float>(queries * keys);
    shares = layout.add<float>(queries);
    q = layout.add<Multiplied>(queries * s.head_size);
    k = layout.add<Multiplied>(keys * s.head_size);
    v = layout.add<Multiplied>(keys * s.head_size);
    out = layout.add<float>(queries * s.head_size);
    dropout = layout.add<std::uint16_t>(keys);
    product = layout.add<std::byte>(product_bytes);
    bytes = layout.bytes();
  }
  std::int64_t weights, scores, shares, q, k, v, out, dropout, product, bytes;
};

}  // namespace phasor::kernels
