#include "engine/base/error.h"
#include "engine/kernels/vocabulary.h"
#include "engine/kernels/vocabulary_blocks.h"
#include "engine/kernels/vocabulary_rows.h"

namespace phasor::kernels {

namespace {

// In front: x where it is rounded, then the sums of a group of blocks [block, token, 3].
struct SumsScratch {
  SumsScratch(const VocabularyShape& s, int workers)
      : sums(whole_lines(rounded_x_bytes(s))), logits(s, workers, sums + sums_bytes(s, workers)) {}

  static std::int64_t sums_bytes(const VocabularyShape& s, int workers) {
    return group_blocks(s, workers) * s.tokens * kVocabularySums * size_of(DType::f32);
  }

  std::int64_t sums;
  LogitsScratch logits;
};

void ensure_inside(std::span<const std::int32_t> labels, std::span<const float> weights, std::int64_t whole) {
  for (std::size_t t = 0; t < labels.size(); ++t)
    ensure(weights[t] == 0 || (labels[t] >= 0 && labels[t] < whole),
           "vocabulary_sums: the label {} of token {} is outside the {} entries", labels[t], t, whole);
}

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
  const std::int64_t tokens = shape.tokens;
  ensure_inside(in.labels, label_weights, shape.whole);
  if (before.empty()) std::ranges::fill(sums, 0.0f);
  if (!before.empty()) std::ranges::copy(before, sums.begin());
  if (tokens == 0) return;

  auto* const sums_of_blocks = reinterpret_cast<float*>(scratch.data() + at.sums);
  const auto sums_of = [=](std::int64_t block, std::int64_t token) {
    return sums_of_blocks + (block * tokens + token) * kVocabularySums;
  };
  const auto sum_up = [&](const LogitsPart& part) {
    for (std::int64_t i = 0; i < part.tokens; ++i) {
      const std::int64_t token = part.first_token + i;
      sums_of_row(part.of_token(i), part.entries, in.labels[token] - part.first_entry)
          .write(sums_of(part.block, token));
    }
  };
  const auto join = [&](std::int64_t blocks) {
    parallel_for_ranges(tokens, row_grain(blocks * kVocabularySums), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t token = begin; token < end; ++token) {
        TokenSums all = TokenSums::read(&sums[token * kVocabularySums]);
        for (std::int64_t b = 0; b < blocks; ++b) all = joined(all, TokenSums::read(sums_of(b, token)));
        (label_weights[token] == 0 ? TokenSums{} : all).write(&sums[token * kVocabularySums]);
      }
    });
  };
  const std::byte* const x = multiplied_x(shape, in.x, scratch.data());
  for_logits(shape, products, at.logits, x, in, scratch.data(), sum_up, join);
}

std::int64_t vocabulary_sums_scratch_bytes(const VocabularyShape& shape, int workers) {
  return SumsScratch(shape, workers).logits.bytes;
}

}  // namespace phasor::kernels
