#include "engine/kernels/vocabulary/vocabulary.h"
#include "engine/kernels/vocabulary/vocabulary_blocks.h"
#include "engine/kernels/vocabulary/vocabulary_rows.h"
#include "engine/kernels/vocabulary/vocabulary_tiles.h"

namespace phasor::kernels {

namespace {

bool sums_apart(const VocabularyShape& s) { return s.x != DType::f32; }  // dx, in scratch

struct GradientScratch {
  GradientScratch(const VocabularyShape& s, int workers)
      : group(group_blocks(s, workers)),
        batch(batch_tokens(s, workers)),
        x(layout.add<std::byte>(rounded_x_bytes(s))),
        dx(layout.add<float>(sums_apart(s) ? s.tokens * s.width : 0)),
        tile_bytes(batch * s.block * size_of(s.weight)),
        tiles(layout.add<std::byte>(group * tile_bytes)),
        products(s, group, batch, workers, layout),
        logits(s, workers, layout.bytes()) {}

  ScratchLayout layout;
  std::int64_t group, batch;  // blocks, tokens
  std::int64_t x, dx, tile_bytes, tiles;
  TileScratch products;
  LogitsScratch logits;
};

}  // namespace

struct VocabularyGradient::Prepared {
  Prepared(const VocabularyShape& s, int workers)
      : shape(s), logits(kLogits, s, workers), dx(kDx, s, workers), dweight(kDweight, s, workers), at(s, workers) {}

  VocabularyShape shape;
  PartProducts logits, dx, dweight;
  GradientScratch at;
};

namespace {

// One run. T: the weight's type.
template <class T, class Prepared>
class Run {
 public:
  Run(const Prepared& prepared, const VocabularyInputs& in, std::span<const float> dsums, std::span<float> dweight,
      float* dx, std::byte* scratch)
      : prepared_(prepared),
        in_(in),
        dsums_(dsums),
        scratch_(scratch),
        x_(multiplied_x(shape_, in.x, scratch + at_.x)),
        logits_(shape_, prepared.logits, at_.logits, in, scratch),
        products_(shape_, prepared.dx, prepared.dweight, at_.products, in, x_, dweight, dx, scratch) {}

  void operator()() {
    if (shape_.tokens == 0) return;
    for (std::int64_t end = blocks_.parts(); end > 0; end -= at_.group) {
      const std::int64_t first = std::max<std::int64_t>(0, end - at_.group);
      logits_.take_blocks(first, end - first);
      products_.take_blocks(first, end - first);
      for (std::int64_t token = 0; token < shape_.tokens; token += at_.batch) {
        const std::int64_t tokens = std::min(at_.batch, shape_.tokens - token);
        logits_.make(x_, token, tokens, [&](const LogitsPart& part) { make_dlogits(part, token); });
        products_.take_tokens(token, tokens);
        products_.add([this](std::int64_t b) { return tile(b); });
      }
    }
  }

 private:
  // Of block b of the group, [tokens of the batch, entries].
  T* tile(std::int64_t b) const { return reinterpret_cast<T*>(scratch_ + at_.tiles + b * at_.tile_bytes); }

  void make_dlogits(const LogitsPart& part, std::int64_t first_token) const {
    for (std::int64_t i = 0; i < part.tokens; ++i) {
      const std::int64_t token = part.first_token + i;
      gradient_of_row(part.of_token(i), part.entries, in_.labels[token] - part.first_entry,
                      TokenMessage::read(&dsums_[token * kVocabularySums]),
                      tile(part.block) + (token - first_token) * part.entries);
    }
  }

  const Prepared& prepared_;
  const VocabularyShape& shape_ = prepared_.shape;
  const GradientScratch& at_ = prepared_.at;
  const VocabularyInputs& in_;
  const std::span<const float> dsums_;
  std::byte* const scratch_;
  const std::byte* const x_;  // as the products take it
  const Parts blocks_ = blocks_of(shape_, in_.first);
  LogitsBlocks logits_;
  TileProducts<T> products_;
};

}  // namespace

VocabularyGradient::VocabularyGradient(const VocabularyShape& shape, int workers)
    : prepared_(std::make_unique<const Prepared>(shape, workers)) {}
VocabularyGradient::VocabularyGradient(VocabularyGradient&&) noexcept = default;
VocabularyGradient::~VocabularyGradient() = default;

std::int64_t VocabularyGradient::scratch_bytes() const { return prepared_->at.logits.bytes; }

void VocabularyGradient::run(const VocabularyInputs& in, std::span<const float> dsums, const void* dx_sum,
                             std::span<float> dweight, void* dx, std::span<std::byte> scratch) const {
  const VocabularyShape& shape = prepared_->shape;
  const std::int64_t elements = shape.tokens * shape.width;
  auto* const rounded = static_cast<bfloat16*>(dx);
  const bool apart = sums_apart(shape);
  float* const sum = apart ? reinterpret_cast<float*>(scratch.data() + prepared_->at.dx) : static_cast<float*>(dx);
  parallel_for_ranges(elements, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      sum[i] = dx_sum == nullptr ? 0
               : apart           ? to_float(static_cast<const bfloat16*>(dx_sum)[i])
                                 : static_cast<const float*>(dx_sum)[i];
    }
  });
  if (shape.weight == DType::bf16) {
    Run<bfloat16, Prepared>(*prepared_, in, dsums, dweight, sum, scratch.data())();
  } else {
    Run<float, Prepared>(*prepared_, in, dsums, dweight, sum, scratch.data())();
  }
  if (!apart) return;
  parallel_for_ranges(elements, kGrain, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) rounded[i] = to_bfloat16(sum[i]);
  });
}

std::int64_t vocabulary_gradient_scratch_bytes(const VocabularyShape& shape, int workers) {
  return GradientScratch(shape, workers).logits.bytes;
}

}  // namespace phasor::kernels
