// The walk over the logits of tokens, block by block of the vocabulary: a part exists as long as somebody looks at it.
#pragma once

#include "engine/kernels/scratch_layout.h"
#include "engine/kernels/vocabulary_parts.h"

namespace phasor::kernels {

// Logits [tokens, entries] of a block and of consecutive tokens, and where they stand.
struct LogitsPart {
  const float* logits;
  std::int64_t block, first_entry, entries;  // the block's number in its group; the entry counts in the whole
  std::int64_t first_token, tokens;

  const float* of_token(std::int64_t i) const { return logits + i * entries; }
};

struct LogitsScratch {
  // Behind so many bytes of the caller's own.
  LogitsScratch(const VocabularyShape& s, int workers, std::int64_t own_bytes) : group(group_blocks(s, workers)) {
    const PartBytes part = part_bytes(kLogits, s);
    packed_bytes = part.packed_b;
    ScratchLayout layout;
    layout.add<std::byte>(own_bytes);
    packed = layout.add<std::byte>(group * packed_bytes);
    first_worker = layout.bytes();
    worker_logits = layout.add<float>(std::min(kPieceTokens, s.tokens) * s.block) - first_worker;
    worker_product = layout.add<std::byte>(part.scratch) - first_worker;
    worker_bytes = layout.bytes() - first_worker;
    bytes = first_worker + workers * worker_bytes;
  }

  std::int64_t group;  // blocks at a time
  std::int64_t packed_bytes, packed, first_worker, worker_logits, worker_product, worker_bytes, bytes;
};

// x: as the products, those of kLogits, take it. Calls use(part) for all parts of a group of blocks, on any thread,
// then then(count) with the number of its blocks; groups come in order.
template <class Use, class Then>
void for_logits(const VocabularyShape& shape, const PartProducts& products, const LogitsScratch& at, const std::byte* x,
                const VocabularyInputs& in, std::byte* scratch, Use use, Then then) {
  const Parts blocks = blocks_of(shape, in.first), pieces = pieces_of(shape.tokens);
  for (std::int64_t first = 0; first < blocks.parts(); first += at.group) {
    const std::int64_t count = std::min(at.group, blocks.parts() - first);
    const auto weight = [&](std::int64_t b) {
      return static_cast<const std::byte*>(in.weight) + blocks.begin(first + b) * row_bytes(shape);
    };
    const auto packed = [&](std::int64_t b) { return scratch + at.packed + b * at.packed_bytes; };
    const auto product_of = [&](std::int64_t b) -> const PartProduct& {
      return products.of(pieces.size(0), blocks.size(first + b));
    };
    pack_all(count, product_of, weight, packed);
    parallel_for(pieces.parts() * count, [&](std::int64_t task, int worker) {
      const std::int64_t b = task / pieces.parts(), piece = task % pieces.parts();
      std::byte* const own = scratch + at.first_worker + worker * at.worker_bytes;
      auto* const logits = reinterpret_cast<float*>(own + at.worker_logits);
      const LogitsPart part{.logits = logits,
                            .block = b,
                            .first_entry = in.first + blocks.begin(first + b),
                            .entries = blocks.size(first + b),
                            .first_token = pieces.begin(piece),
                            .tokens = pieces.size(piece)};
      const PartProduct& product = products.of(part.tokens, part.entries);
      product.product->run(worker, x + part.first_token * row_bytes(shape), product.b(weight(b), packed(b)), nullptr,
                           logits, own + at.worker_product);
      use(part);
    });
    then(count);
  }
}

}  // namespace phasor::kernels
