// The same of its gradient (forward_blocks.h).
#pragma once

#include <algorithm>
#include <memory>

#include "engine/kernels/attention/attention.h"
#include "engine/kernels/attention/query_blocks.h"
#include "engine/kernels/product/product.h"
#include "engine/kernels/scratch_layout.h"

namespace phasor::kernels {

// The products of a block.
struct GradientShapes {
  ProductShape scores;  // q k', dout v'
  ProductShape dq;      // ds k
  ProductShape sum;     // dk += ds' q, dv += P' dout
};
template <class Multiplied>
GradientShapes gradient_shapes(const AttentionShape& s, const QueryBlock& block) {
  return {.scores = {.m = block.rows,
                     .n = block.keys,
                     .k = s.head_size,
                     .transpose_b = true,
                     .operands = dtype_of<Multiplied>,
                     .backend = s.products},
          .dq = {.m = block.rows,
                 .n = s.head_size,
                 .k = block.keys,
                 .operands = dtype_of<Multiplied>,
                 .result = dtype_of<Multiplied>,
                 .backend = s.products},
          .sum = {.m = block.keys,
                  .n = s.head_size,
                  .k = block.rows,
                  .transpose_a = true,
                  .operands = dtype_of<Multiplied>,
                  .accumulate = true,
                  .backend = s.products}};
}

template <class Multiplied>
struct GradientProducts {
  GradientProducts(const AttentionShape& shape, const QueryBlock& block, int workers)
      : scores(make_product(gradient_shapes<Multiplied>(shape, block).scores, workers)),
        dq(make_product(gradient_shapes<Multiplied>(shape, block).dq, workers)),
        sum(make_product(gradient_shapes<Multiplied>(shape, block).sum, workers)) {}
  std::int64_t scratch_bytes() const {
    return std::max({scores->scratch_bytes(), dq->scratch_bytes(), sum->scratch_bytes()});
  }

  std::unique_ptr<Product> scores, dq, sum;
};

// The same without preparing them.
template <class Multiplied>
struct GradientBytes {
  GradientBytes(const AttentionShape& shape, const QueryBlock& block, int) {
    const GradientShapes shapes = gradient_shapes<Multiplied>(shape, block);
    bytes = std::max(
        {product_scratch_bytes(shapes.scores), product_scratch_bytes(shapes.dq), product_scratch_bytes(shapes.sum)});
  }
  std::int64_t scratch_bytes() const { return bytes; }

  std::int64_t bytes;
};

// A worker's scratch, in bytes from its start.
template <class Multiplied>
struct GradientScratch {
  GradientScratch(const AttentionShape& s, const QueryBlocks& blocks, std::int64_t product_bytes) {
    ScratchLayout layout;
    const std::int64_t queries = blocks.rows, keys = blocks.size;
    // The first rows of both; the others take the place of the floats that they are made of.
    probabilities = layout.add<Multiplied>(keys);
    scores = layout.add<float>(queries * keys);
    dscores = layout.add<Multiplied>(keys);
    dropped = layout.add<float>(queries * keys);
    q = layout.add<Multiplied>(queries * s.head_size);
    dq = layout.add<Multiplied>(queries * s.head_size);
    dout = layout.add<Multiplied>(queries * s.head_size);
    k = layout.add<Multiplied>(keys * s.head_size);
    v = layout.add<Multiplied>(keys * s.head_size);
    dk = layout.add<float>(keys * s.head_size);
    dv = layout.add<float>(keys * s.head_size);
    dropout = layout.add<std::uint16_t>(keys);
    product = layout.add<std::byte>(product_bytes);
    bytes = layout.bytes();
  }
  std::int64_t probabilities, scores, dscores, dropped, q, dq, dout, k, v, dk, dv, dropout, product, bytes;
};

}  // namespace phasor::kernels
