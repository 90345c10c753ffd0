// From dlogits to the gradients, a group of blocks and a batch of tokens at a time. The dlogits of one block and of the
// batch are a tile, [tokens, entries].
#pragma once

#include "engine/kernels/scratch_layout.h"
#include "engine/kernels/vocabulary/vocabulary_parts.h"

namespace phasor::kernels {

// What lies in scratch: operands that are packed for groups of `blocks` and batches of `tokens`, at most, and a
// worker's room for its products.
struct TileScratch {
  TileScratch(const VocabularyShape& s, std::int64_t blocks, std::int64_t tokens, int workers, ScratchLayout& layout) {
    const PartBytes of_dx = part_bytes(kDx, s), of_dweight = part_bytes(kDweight, s);
    weight_bytes = of_dx.packed_b;
    x_bytes = of_dweight.packed_b;
    product_bytes = whole_lines(std::max(of_dx.scratch, of_dweight.scratch));
    weights = layout.add<std::byte>(blocks * weight_bytes);
    x = layout.add<std::byte>(chunks_of(tokens).parts() * x_bytes);
    products = layout.add<std::byte>(workers * product_bytes);
  }

  std::int64_t weight_bytes, x_bytes, product_bytes;  // of a block, of a chunk of tokens, of a worker
  std::int64_t weights, x, products;
};

// One run, over groups and batches in any order in which tokens of one block go forwards and blocks of one token go
// backwards. T: the weight's type.
template <class T>
class TileProducts {
 public:
  // x: as the products take it. dx is in f32.
  TileProducts(const VocabularyShape& shape, const PartProducts& of_dx, const PartProducts& of_dweight,
               const TileScratch& at, const VocabularyInputs& in, const std::byte* x, std::span<float> dweight,
               float* dx, std::byte* scratch)
      : shape_(shape),
        of_dx_(of_dx),
        of_dweight_(of_dweight),
        at_(at),
        weight_(static_cast<const std::byte*>(in.weight)),
        x_(x),
        dweight_(dweight),
        dx_(dx),
        scratch_(scratch),
        blocks_(blocks_of(shape, in.first)) {}

  void take_blocks(std::int64_t first, std::int64_t count) {
    first_block_ = first;
    count_ = count;
    const std::int64_t tokens = std::min(kPieceTokens, shape_.tokens);
    pack_all(
        count, [&](std::int64_t b) -> const PartProduct& { return of_dx_.of(tokens, entries(b)); },
        [this](std::int64_t b) { return weight(b); }, [this](std::int64_t b) { return packed_weight(b); });
  }

  // Packed for any block of the table.
  void take_tokens(std::int64_t first, std::int64_t count) {
    first_token_ = first;
    pieces_ = pieces_of(count);
    chunks_ = chunks_of(count);
    const std::int64_t entries = blocks_.size(0);
    pack_all(
        chunks_.parts(), [&](std::int64_t i) -> const PartProduct& { return of_dweight_.of(chunks_.size(i), entries); },
        [this](std::int64_t i) { return x(chunks_.begin(i)); }, [this](std::int64_t i) { return packed_x(i); });
  }

  // tile(b): the dlogits of the group's block b and of the batch.
  template <class Tile>
  void add(Tile tile) const {
    parallel_for(count_ + pieces_.parts(), [&](std::int64_t task, int worker) {
      if (task < count_) add_dweight(task, tile(task), worker);
      if (task >= count_) add_dx(task - count_, tile, worker);
    });
  }

 private:
  std::int64_t entries(std::int64_t b) const { return blocks_.size(first_block_ + b); }
  std::int64_t first_entry(std::int64_t b) const { return blocks_.begin(first_block_ + b); }
  const std::byte* weight(std::int64_t b) const { return weight_ + first_entry(b) * row_bytes(shape_); }
  const std::byte* x(std::int64_t token) const { return x_ + (first_token_ + token) * row_bytes(shape_); }
  std::byte* packed_weight(std::int64_t b) const { return scratch_ + at_.weights + b * at_.weight_bytes; }
  std::byte* packed_x(std::int64_t chunk) const { return scratch_ + at_.x + chunk * at_.x_bytes; }
  std::byte* own(int worker) const { return scratch_ + at_.products + worker * at_.product_bytes; }

  // Over all chunks of tokens, in order.
  void add_dweight(std::int64_t b, const T* tile, int worker) const {
    const std::int64_t n = entries(b);
    for (std::int64_t chunk = 0; chunk < chunks_.parts(); ++chunk) {
      const std::int64_t begin = chunks_.begin(chunk);
      const PartProduct& part = of_dweight_.of(chunks_.size(chunk), n);
      part.product->run(worker, tile + begin * n, part.b(x(begin), packed_x(chunk)), nullptr,
                        &dweight_[first_entry(b) * shape_.width], own(worker));
    }
  }

  // Over all blocks of the group, from the last to the first.
  template <class Tile>
  void add_dx(std::int64_t piece, Tile tile, int worker) const {
    const std::int64_t begin = pieces_.begin(piece);
    for (std::int64_t b = count_ - 1; b >= 0; --b) {
      const PartProduct& part = of_dx_.of(pieces_.size(piece), entries(b));
      part.product->run(worker, tile(b) + begin * entries(b), part.b(weight(b), packed_weight(b)), nullptr,
                        dx_ + (first_token_ + begin) * shape_.width, own(worker));
    }
  }

  const VocabularyShape& shape_;
  const PartProducts &of_dx_, &of_dweight_;
  const TileScratch& at_;
  const std::byte *weight_, *x_;
  const std::span<float> dweight_;
  float* const dx_;
  std::byte* const scratch_;
  const Parts blocks_;

  std::int64_t first_block_ = 0, count_ = 0;  // of the group
  std::int64_t first_token_ = 0;              // of the batch
  Parts pieces_, chunks_;                     // of the batch
};

}  // namespace phasor::kernels
