#include "engine/kernels/vocabulary/vocabulary.h"
#include "engine/kernels/vocabulary/vocabulary_block_sums.h"

namespace phasor::kernels {

namespace {

// In front: x where it is rounded, then the sums of a group of blocks [block, token, 3].
struct SumsScratch {
  SumsScratch(const VocabularyShape& s, int workers)
      : sums(whole_lines(rounded_x_bytes(s))), logits(s, workers, sums + sums_bytes(s, workers)) {}

  static std::int64_t sums_bytes(const VocabularyShape& s, int workers) {
    return BlockSums::bytes(group_blocks(s, workers), s.tokens);
  }

  std::int64_t sums;
  LogitsScratch logits;
};

}  // namespace

struct VocabularySums::Prepared {
  Prepared(const VocabularyShape& s, int workers) : shape(s), logits(kLogits, s, workers), scratch(s, workers) {}

  VocabularyShape shape;
  PartProducts logits;
  SumsScratch scratch;
};

VocabularySums::VocabularySums(const VocabularyShape& shape, int workers)
    : prepared_(std::make_unique<const Prepared>(shape, workers)) {}
VocabularySums::VocabularySums(VocabularySums&&) noexcept = default;
VocabularySums::~VocabularySums() = default;

std::int64_t VocabularySums::scratch_bytes() const { return prepared_->scratch.logits.bytes; }

void VocabularySums::run(const VocabularyInputs& in, std::span<const float> label_weights,
                         std::span<const float> before, std::span<float> sums, std::span<std::byte> scratch) const {
  const auto& [shape, products, at] = *prepared_;
  ensure_inside(in.labels, label_weights, shape.whole);
  if (before.empty()) std::ranges::fill(sums, 0.0f);
  if (!before.empty()) std::ranges::copy(before, sums.begin());
  if (shape.tokens == 0) return;

  const BlockSums of_blocks(reinterpret_cast<float*>(scratch.data() + at.sums), 0, in.labels);
  const std::byte* const x = multiplied_x(shape, in.x, scratch.data());
  LogitsBlocks(shape, products, at.logits, in, scratch.data())
      .make_all(
          x, 0, shape.tokens, [&](const LogitsPart& part) { of_blocks.take(part); },
          [&](std::int64_t blocks) { of_blocks.join(blocks, label_weights, sums); });
}

std::int64_t vocabulary_sums_scratch_bytes(const VocabularyShape& shape, int workers) {
  return SumsScratch(shape, workers).logits.bytes;
}

}  // namespace phasor::kernels
