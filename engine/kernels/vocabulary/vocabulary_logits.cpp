#include "engine/kernels/vocabulary/vocabulary.h"
#include "engine/kernels/vocabulary/vocabulary_blocks.h"

namespace phasor::kernels {

namespace {

std::int64_t chosen_x_bytes(const VocabularyShape& s) { return s.tokens * row_bytes(s); }

LogitsScratch scratch_of(const VocabularyShape& s, int workers) { return {s, workers, chosen_x_bytes(s)}; }

// x of one token of each row, one behind the other, as the products take it.
void choose_x(const VocabularyShape& s, const void* x, std::int64_t row_tokens, std::span<const std::int32_t> last,
              std::byte* chosen) {
  for (std::int64_t row = 0; row < s.tokens; ++row) {
    const std::int64_t from = (row * row_tokens + std::clamp<std::int64_t>(last[row], 0, row_tokens - 1)) * s.width;
    if (s.x == s.weight) {
      std::copy_n(static_cast<const std::byte*>(x) + from * size_of(s.x), row_bytes(s), chosen + row * row_bytes(s));
      continue;
    }
    const float* const numbers = static_cast<const float*>(x) + from;
    auto* const rounded = reinterpret_cast<bfloat16*>(chosen) + row * s.width;
    for (std::int64_t i = 0; i < s.width; ++i) rounded[i] = to_bfloat16(numbers[i]);
  }
}

}  // namespace

struct VocabularyLogits::Prepared {
  Prepared(const VocabularyShape& s, int workers)
      : shape(s), logits(kLogits, s, workers), scratch(scratch_of(s, workers)) {}

  VocabularyShape shape;
  PartProducts logits;
  LogitsScratch scratch;
};

VocabularyLogits::VocabularyLogits(const VocabularyShape& shape, int workers)
    : prepared_(std::make_unique<const Prepared>(shape, workers)) {}
VocabularyLogits::VocabularyLogits(VocabularyLogits&&) noexcept = default;
VocabularyLogits::~VocabularyLogits() = default;

std::int64_t VocabularyLogits::scratch_bytes() const { return prepared_->scratch.bytes; }

void VocabularyLogits::run(const VocabularyInputs& in, std::int64_t row_tokens, std::span<const std::int32_t> last,
                           std::span<const float> before, std::span<float> logits, std::span<std::byte> scratch) const {
  const auto& [shape, products, at] = *prepared_;
  if (before.empty()) std::ranges::fill(logits, 0.0f);
  if (!before.empty() && before.data() != logits.data()) std::ranges::copy(before, logits.begin());
  if (shape.tokens == 0) return;
  choose_x(shape, in.x, row_tokens, last, scratch.data());
  const auto place = [&](const LogitsPart& part) {
    for (std::int64_t i = 0; i < part.tokens; ++i)
      std::copy_n(part.of_token(i), part.entries,
                  &logits[(part.first_token + i) * prepared_->shape.whole + part.first_entry]);
  };
  LogitsBlocks(shape, products, at, in, scratch.data())
      .make_all(scratch.data(), 0, shape.tokens, place, [](std::int64_t) {});
}

std::int64_t vocabulary_logits_scratch_bytes(const VocabularyShape& shape, int workers) {
  return scratch_of(shape, workers).bytes;
}

}  // namespace phasor::kernels
