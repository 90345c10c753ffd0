#include "engine/base/error.h"
#include "engine/kernels/vocabulary/vocabulary.h"
#include "engine/kernels/vocabulary/vocabulary_block_sums.h"
#include "engine/kernels/vocabulary/vocabulary_tiles.h"

namespace phasor::kernels {

namespace {

// Tokens whose logits are held at a time: as few as keep a team busy.
std::int64_t held_tokens(const VocabularyShape& s, int workers) {
  constexpr std::int64_t kOfWorker = 64;
  return std::min(chunks_of(std::max(kChunkTokens, workers * kOfWorker)).parts() * kChunkTokens, s.tokens);
}

struct FusedScratch {
  FusedScratch(const VocabularyShape& s, int workers)
      : group(group_blocks(s, workers)),
        batch(held_tokens(s, workers)),
        tile(batch * s.block),
        tiles(layout.add<float>(Parts{s.whole, s.block}.parts() * tile)),
        sums(layout.add<std::byte>(BlockSums::bytes(group, batch))),
        products(s, group, batch, workers, layout),
        logits(s, workers, layout.bytes()) {}

  ScratchLayout layout;
  std::int64_t group, batch;  // blocks, tokens
  std::int64_t tile;          // elements
  std::int64_t tiles, sums;
  TileScratch products;
  LogitsScratch logits;
};

}  // namespace

struct VocabularySumsWithGradient::Prepared {
  Prepared(const VocabularyShape& s, int workers)
      : shape(s), logits(kLogits, s, workers), dx(kDx, s, workers), dweight(kDweight, s, workers), at(s, workers) {
    ensure(s.x == DType::f32 && s.weight == DType::f32 && s.entries == s.whole,
           "vocabulary_sums_with_gradient: expected a whole table in f32");
  }

  VocabularyShape shape;
  PartProducts logits, dx, dweight;
  FusedScratch at;
};

namespace {

// Consecutive tokens, and what there is of each.
struct Batch {
  std::int64_t first, tokens;
  std::span<const std::int32_t> labels;
  std::span<const float> label_weights;
  std::span<float> sums, dsums;
};

template <class T>
std::span<T> of_tokens(std::span<T> all, std::int64_t first, std::int64_t tokens, std::int64_t each = 1) {
  return all.subspan(static_cast<std::size_t>(first * each), static_cast<std::size_t>(tokens * each));
}

// One run. A block's tile holds the logits of the batch's tokens, [tokens, entries], and then their derivatives.
template <class Prepared>
class FusedRun {
 public:
  FusedRun(const Prepared& prepared, const VocabularyInputs& in, std::span<float> dweight, float* dx,
           std::byte* scratch)
      : shape_(prepared.shape),
        at_(prepared.at),
        x_(static_cast<const std::byte*>(in.x)),
        scratch_(scratch),
        blocks_(blocks_of(shape_, 0)),
        logits_(shape_, prepared.logits, at_.logits, in, scratch),
        products_(shape_, prepared.dx, prepared.dweight, at_.products, in, x_, dweight, dx, scratch) {}

  void make_logits(const Batch& batch) {
    const BlockSums of_blocks(floats(at_.sums), batch.first, batch.labels);
    const auto keep = [&](const LogitsPart& part) {
      of_blocks.take(part);
      float* const kept = tile(part.first_entry / shape_.block) + (part.first_token - batch.first) * part.entries;
      std::copy_n(part.logits, part.tokens * part.entries, kept);
    };
    logits_.make_all(x_, batch.first, batch.tokens, keep,
                     [&](std::int64_t blocks) { of_blocks.join(blocks, batch.label_weights, batch.sums); });
  }

  void add_gradients(const Batch& batch) {
    products_.take_tokens(batch.first, batch.tokens);
    for (std::int64_t end = blocks_.parts(); end > 0; end -= at_.group) {
      const std::int64_t first = std::max<std::int64_t>(0, end - at_.group), rows = (end - first) * batch.tokens;
      parallel_for_ranges(rows, row_grain(shape_.block), [&](std::int64_t begin_row, std::int64_t end_row) {
        for (std::int64_t row = begin_row; row < end_row; ++row)
          make_dlogits(batch, first + row / batch.tokens, row % batch.tokens);
      });
      products_.take_blocks(first, end - first);
      products_.add([&](std::int64_t block) { return tile(first + block); });
    }
  }

 private:
  float* floats(std::int64_t at) const { return reinterpret_cast<float*>(scratch_ + at); }
  float* tile(std::int64_t block) const { return floats(at_.tiles) + block * at_.tile; }

  void make_dlogits(const Batch& batch, std::int64_t block, std::int64_t token) const {
    const std::int64_t entries = blocks_.size(block);
    float* const row = tile(block) + token * entries;
    gradient_of_row(row, entries, batch.labels[token] - blocks_.begin(block),
                    TokenMessage::read(&batch.dsums[token * kVocabularySums]), row);
  }

  const VocabularyShape& shape_;
  const FusedScratch& at_;
  const std::byte* const x_;
  std::byte* const scratch_;
  const Parts blocks_;
  LogitsBlocks logits_;
  TileProducts<float> products_;
};

}  // namespace

VocabularySumsWithGradient::VocabularySumsWithGradient(const VocabularyShape& shape, int workers)
    : prepared_(std::make_unique<const Prepared>(shape, workers)) {}
VocabularySumsWithGradient::VocabularySumsWithGradient(VocabularySumsWithGradient&&) noexcept = default;
VocabularySumsWithGradient::~VocabularySumsWithGradient() = default;

std::int64_t VocabularySumsWithGradient::scratch_bytes() const { return prepared_->at.logits.bytes; }

void VocabularySumsWithGradient::run(const VocabularyInputs& in, std::span<const float> label_weights,
                                     std::span<const float> dloss, std::span<float> dweight, std::span<float> dx,
                                     std::span<float> sums, std::span<float> dsums,
                                     std::span<std::byte> scratch) const {
  const auto& [shape, at] = std::tie(prepared_->shape, prepared_->at);
  ensure_inside(in.labels, label_weights, shape.whole);
  std::ranges::fill(sums, 0.0f);
  std::ranges::fill(dx, 0.0f);
  FusedRun run(*prepared_, in, dweight, dx.data(), scratch.data());
  for (std::int64_t first = 0; first < shape.tokens; first += at.batch) {
    const std::int64_t tokens = std::min(at.batch, shape.tokens - first);
    const Batch batch{.first = first,
                      .tokens = tokens,
                      .labels = of_tokens(in.labels, first, tokens),
                      .label_weights = of_tokens(label_weights, first, tokens),
                      .sums = of_tokens(sums, first, tokens, kVocabularySums),
                      .dsums = of_tokens(dsums, first, tokens, kVocabularySums)};
    run.make_logits(batch);
    vocabulary_loss_gradient(batch.sums, batch.label_weights, dloss, batch.dsums);
    run.add_gradients(batch);
  }
}

std::int64_t vocabulary_sums_with_gradient_scratch_bytes(const VocabularyShape& shape, int workers) {
  return FusedScratch(shape, workers).logits.bytes;
}

}  // namespace phasor::kernels
