// The walk over the logits of tokens, block by block of the vocabulary: a part exists as long as somebody looks at it.
#pragma once

#include "engine/kernels/scratch_layout.h"
#include "engine/kernels/vocabulary/vocabulary_parts.h"

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

// The logits of one run, a group of blocks and some tokens at a time.
class LogitsBlocks {
 public:
  LogitsBlocks(const VocabularyShape& shape, const PartProducts& products, const LogitsScratch& at,
               const VocabularyInputs& in, std::byte* scratch)
      : shape_(shape), products_(products), at_(at), in_(in), scratch_(scratch), blocks_(blocks_of(shape, in.first)) {}

  // At most LogitsScratch::group.
  void take_blocks(std::int64_t first, std::int64_t count) {
    first_ = first;
    count_ = count;
    const std::int64_t tokens = std::min(kPieceTokens, shape_.tokens);
    pack_all(
        count, [&](std::int64_t b) -> const PartProduct& { return products_.of(tokens, entries(b)); },
        [this](std::int64_t b) { return weight(b); }, [this](std::int64_t b) { return packed(b); });
  }

  // Calls use(part) for all parts of the group and of these tokens, on any thread. x: that of all tokens, as the
  // products, those of kLogits, take it; first_token: a multiple of kPieceTokens.
  template <class Use>
  void make(const std::byte* x, std::int64_t first_token, std::int64_t tokens, Use use) const {
    const Parts pieces = pieces_of(tokens);
    parallel_for(pieces.parts() * count_, [&](std::int64_t task, int worker) {
      const std::int64_t b = task / pieces.parts(), piece = task % pieces.parts();
      std::byte* const own = scratch_ + at_.first_worker + worker * at_.worker_bytes;
      auto* const logits = reinterpret_cast<float*>(own + at_.worker_logits);
      const LogitsPart part{.logits = logits,
                            .block = b,
                            .first_entry = in_.first + blocks_.begin(first_ + b),
                            .entries = entries(b),
                            .first_token = first_token + pieces.begin(piece),
                            .tokens = pieces.size(piece)};
      const PartProduct& product = products_.of(part.tokens, part.entries);
      product.product->run(worker, x + part.first_token * row_bytes(shape_), product.b(weight(b), packed(b)), nullptr,
                           logits, own + at_.worker_product);
      use(part);
    });
  }

  // The same of all blocks, a group after the other, with then(count) behind each, the number of its blocks.
  template <class Use, class Then>
  void make_all(const std::byte* x, std::int64_t first_token, std::int64_t tokens, Use use, Then then) {
    for (std::int64_t first = 0; first < blocks_.parts(); first += at_.group) {
      take_blocks(first, std::min(at_.group, blocks_.parts() - first));
      make(x, first_token, tokens, use);
      then(count_);
    }
  }

 private:
  std::int64_t entries(std::int64_t b) const { return blocks_.size(first_ + b); }
  const std::byte* weight(std::int64_t b) const {
    return static_cast<const std::byte*>(in_.weight) + blocks_.begin(first_ + b) * row_bytes(shape_);
  }
  std::byte* packed(std::int64_t b) const { return scratch_ + at_.packed + b * at_.packed_bytes; }

  const VocabularyShape& shape_;
  const PartProducts& products_;
  const LogitsScratch& at_;
  const VocabularyInputs& in_;
  std::byte* const scratch_;
  const Parts blocks_;
  std::int64_t first_ = 0, count_ = 0;  // of the group
};

}  // namespace phasor::kernels
