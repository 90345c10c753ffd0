#include "engine/base/error.h"
#include "engine/kernels/scratch_layout.h"
#include "engine/kernels/vocabulary.h"
#include "engine/kernels/vocabulary_parts.h"
#include "engine/kernels/vocabulary_rows.h"

namespace phasor::kernels {

namespace {

struct SumsScratch {
  SumsScratch(const VocabularyShape& s, int workers) : group(group_blocks(s, workers)) {
    const PartBytes logits = part_bytes(kLogits, s);
    packed_bytes = logits.packed_b;
    ScratchLayout layout;
    x = layout.add<std::byte>(rounded_x_bytes(s));
    packed = layout.add<std::byte>(group * packed_bytes);
    sums = layout.add<float>(group * s.tokens * kVocabularySums);
    first_worker = layout.bytes();
    worker_logits = layout.add<float>(std::min(kPieceTokens, s.tokens) * s.block) - first_worker;
    worker_product = layout.add<std::byte>(logits.scratch) - first_worker;
    worker_bytes = layout.bytes() - first_worker;
    bytes = first_worker + workers * worker_bytes;
  }

  std::int64_t group;  // blocks
  std::int64_t packed_bytes;
  std::int64_t x, packed, sums, first_worker, bytes;
  std::int64_t worker_logits, worker_product, worker_bytes;
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

std::int64_t VocabularySums::scratch_bytes() const { return prepared_->scratch.bytes; }

void VocabularySums::run(const VocabularyInputs& in, std::span<const float> label_weights,
                         std::span<const float> before, std::span<float> sums, std::span<std::byte> scratch) const {
  const VocabularyShape& shape = prepared_->shape;
  const PartProducts& logits = prepared_->logits;
  const SumsScratch& at = prepared_->scratch;
  ensure_inside(in.labels, label_weights, shape.whole);
  if (before.empty()) std::ranges::fill(sums, 0.0f);
  if (!before.empty()) std::ranges::copy(before, sums.begin());
  if (shape.tokens == 0) return;

  std::byte* const base = scratch.data();
  const std::byte* const x = multiplied_x(shape, in.x, base + at.x);
  const Parts blocks = blocks_of(shape, in.first), pieces = pieces_of(shape.tokens);
  auto* const sums_of_blocks = reinterpret_cast<float*>(base + at.sums);  // [block of the group, token, 3]
  for (std::int64_t first = 0; first < blocks.parts(); first += at.group) {
    const std::int64_t count = std::min(at.group, blocks.parts() - first);
    const auto weight = [&](std::int64_t b) {
      return static_cast<const std::byte*>(in.weight) + blocks.begin(first + b) * row_bytes(shape);
    };
    const auto packed = [&](std::int64_t b) { return base + at.packed + b * at.packed_bytes; };
    pack_all(
        count, [&](std::int64_t b) -> const PartProduct& { return logits.of(pieces.size(0), blocks.size(first + b)); },
        weight, packed);
    parallel_for(pieces.parts() * count, [&](std::int64_t task, int worker) {
      const std::int64_t b = task / pieces.parts(), piece = task % pieces.parts(), begin = pieces.begin(piece);
      const std::int64_t entries = blocks.size(first + b), first_entry = in.first + blocks.begin(first + b);
      std::byte* const own = base + at.first_worker + worker * at.worker_bytes;
      auto* const rows = reinterpret_cast<float*>(own + at.worker_logits);
      const PartProduct& part = logits.of(pieces.size(piece), entries);
      part.product->run(worker, x + begin * row_bytes(shape), part.b(weight(b), packed(b)), nullptr, rows,
                        own + at.worker_product);
      for (std::int64_t i = 0; i < pieces.size(piece); ++i) {
        const std::int64_t token = begin + i;
        sums_of_row(rows + i * entries, entries, in.labels[token] - first_entry)
            .write(sums_of_blocks + (b * shape.tokens + token) * kVocabularySums);
      }
    });
    parallel_for_ranges(shape.tokens, row_grain(count * kVocabularySums), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t token = begin; token < end; ++token) {
        TokenSums all = TokenSums::read(&sums[token * kVocabularySums]);
        for (std::int64_t b = 0; b < count; ++b)
          all = joined(all, TokenSums::read(sums_of_blocks + (b * shape.tokens + token) * kVocabularySums));
        (label_weights[token] == 0 ? TokenSums{} : all).write(&sums[token * kVocabularySums]);
      }
    });
  }
}

std::int64_t vocabulary_sums_scratch_bytes(const VocabularyShape& shape, int workers) {
  return SumsScratch(shape, workers).bytes;
}

}  // namespace phasor::kernels
