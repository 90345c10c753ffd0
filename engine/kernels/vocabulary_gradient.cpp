#include "engine/kernels/scratch_layout.h"
#include "engine/kernels/vocabulary.h"
#include "engine/kernels/vocabulary_parts.h"
#include "engine/kernels/vocabulary_rows.h"

namespace phasor::kernels {

namespace {

bool sums_apart(const VocabularyShape& s) { return s.x != DType::f32; }  // dx, in scratch

struct GradientScratch {
  GradientScratch(const VocabularyShape& s, int workers)
      : group(group_blocks(s, workers)), batch(batch_tokens(s, workers)) {
    const PartBytes logits = part_bytes(kLogits, s), of_dx = part_bytes(kDx, s), of_dweight = part_bytes(kDweight, s);
    row_weight_bytes = logits.packed_b;
    column_weight_bytes = of_dx.packed_b;
    packed_x_bytes = of_dweight.packed_b;
    tile_bytes = batch * s.block * size_of(s.weight);
    ScratchLayout layout;
    x = layout.add<std::byte>(rounded_x_bytes(s));
    dx = layout.add<float>(sums_apart(s) ? s.tokens * s.width : 0);
    row_weights = layout.add<std::byte>(group * row_weight_bytes);
    column_weights = layout.add<std::byte>(group * column_weight_bytes);
    packed_x = layout.add<std::byte>(chunks_of(batch).parts() * packed_x_bytes);
    dlogits = layout.add<std::byte>(group * tile_bytes);
    first_worker = layout.bytes();
    worker_logits = layout.add<float>(std::min(kPieceTokens, s.tokens) * s.block) - first_worker;
    worker_product =
        layout.add<std::byte>(std::max({logits.scratch, of_dx.scratch, of_dweight.scratch})) - first_worker;
    worker_bytes = layout.bytes() - first_worker;
    bytes = first_worker + workers * worker_bytes;
  }

  std::int64_t group, batch;  // blocks, tokens
  std::int64_t row_weight_bytes, column_weight_bytes, packed_x_bytes, tile_bytes;
  std::int64_t x, dx, row_weights, column_weights, packed_x, dlogits, first_worker, bytes;
  std::int64_t worker_logits, worker_product, worker_bytes;
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
        dweight_(dweight),
        dx_(dx),
        scratch_(scratch),
        x_(multiplied_x(shape_, in.x, scratch + at_.x)) {}

  void operator()() {
    if (shape_.tokens == 0) return;
    for (std::int64_t end = blocks_.parts(); end > 0; end -= at_.group) {
      first_block_ = std::max<std::int64_t>(0, end - at_.group);
      count_ = end - first_block_;
      pack_weights();
      for (first_token_ = 0; first_token_ < shape_.tokens; first_token_ += at_.batch) {
        const std::int64_t tokens = std::min(at_.batch, shape_.tokens - first_token_);
        pieces_ = pieces_of(tokens);
        chunks_ = chunks_of(tokens);
        pack_x();
        parallel_for(pieces_.parts() * count_, [this](std::int64_t task, int worker) {
          make_dlogits(task / pieces_.parts(), task % pieces_.parts(), worker);
        });
        parallel_for(count_ + pieces_.parts(), [this](std::int64_t task, int worker) {
          if (task < count_) add_dweight(task, worker);
          if (task >= count_) add_dx(task - count_, worker);
        });
      }
    }
  }

 private:
  // Of block b of the group.
  std::int64_t entries(std::int64_t b) const { return blocks_.size(first_block_ + b); }
  std::int64_t first_entry(std::int64_t b) const { return blocks_.begin(first_block_ + b); }
  const std::byte* weight(std::int64_t b) const {
    return static_cast<const std::byte*>(in_.weight) + first_entry(b) * row_bytes(shape_);
  }
  T* dlogits(std::int64_t b) const { return reinterpret_cast<T*>(scratch_ + at_.dlogits + b * at_.tile_bytes); }

  const std::byte* x(std::int64_t token) const { return x_ + (first_token_ + token) * row_bytes(shape_); }
  std::byte* row_weight(std::int64_t b) const { return scratch_ + at_.row_weights + b * at_.row_weight_bytes; }
  std::byte* column_weight(std::int64_t b) const { return scratch_ + at_.column_weights + b * at_.column_weight_bytes; }
  std::byte* packed_x(std::int64_t chunk) const { return scratch_ + at_.packed_x + chunk * at_.packed_x_bytes; }
  std::byte* own(int worker) const { return scratch_ + at_.first_worker + worker * at_.worker_bytes; }

  void pack_weights() {
    const std::int64_t tokens = std::min(kPieceTokens, shape_.tokens);
    const auto weights = [this](std::int64_t b) { return weight(b); };
    pack_all(
        count_, [&](std::int64_t b) -> const PartProduct& { return prepared_.logits.of(tokens, entries(b)); }, weights,
        [this](std::int64_t b) { return row_weight(b); });
    pack_all(
        count_, [&](std::int64_t b) -> const PartProduct& { return prepared_.dx.of(tokens, entries(b)); }, weights,
        [this](std::int64_t b) { return column_weight(b); });
  }
  void pack_x() {
    pack_all(
        chunks_.parts(),
        [this](std::int64_t i) -> const PartProduct& { return prepared_.dweight.of(chunks_.size(i), entries(0)); },
        [this](std::int64_t i) { return x(chunks_.begin(i)); }, [this](std::int64_t i) { return packed_x(i); });
  }

  void make_dlogits(std::int64_t b, std::int64_t piece, int worker) const {
    const std::int64_t n = entries(b), begin = pieces_.begin(piece), tokens = pieces_.size(piece);
    auto* const logits = reinterpret_cast<float*>(own(worker) + at_.worker_logits);
    const PartProduct& part = prepared_.logits.of(tokens, n);
    part.product->run(worker, x(begin), part.b(weight(b), row_weight(b)), nullptr, logits,
                      own(worker) + at_.worker_product);
    for (std::int64_t i = 0; i < tokens; ++i) {
      const std::int64_t token = first_token_ + begin + i;
      gradient_of_row(logits + i * n, n, in_.labels[token] - in_.first - first_entry(b),
                      TokenMessage::read(&dsums_[token * kVocabularySums]), dlogits(b) + (begin + i) * n);
    }
  }

  // Over all chunks of tokens, in order.
  void add_dweight(std::int64_t b, int worker) const {
    const std::int64_t n = entries(b);
    for (std::int64_t chunk = 0; chunk < chunks_.parts(); ++chunk) {
      const std::int64_t begin = chunks_.begin(chunk);
      const PartProduct& part = prepared_.dweight.of(chunks_.size(chunk), n);
      part.product->run(worker, dlogits(b) + begin * n, part.b(x(begin), packed_x(chunk)), nullptr,
                        &dweight_[first_entry(b) * shape_.width], own(worker) + at_.worker_product);
    }
  }

  // Over all blocks of the group, from the last to the first.
  void add_dx(std::int64_t piece, int worker) const {
    const std::int64_t begin = pieces_.begin(piece);
    for (std::int64_t b = count_ - 1; b >= 0; --b) {
      const PartProduct& part = prepared_.dx.of(pieces_.size(piece), entries(b));
      part.product->run(worker, dlogits(b) + begin * entries(b), part.b(weight(b), column_weight(b)), nullptr,
                        dx_ + (first_token_ + begin) * shape_.width, own(worker) + at_.worker_product);
    }
  }

  const Prepared& prepared_;
  const VocabularyShape& shape_ = prepared_.shape;
  const GradientScratch& at_ = prepared_.at;
  const VocabularyInputs& in_;
  const std::span<const float> dsums_;
  const std::span<float> dweight_;
  float* const dx_;
  std::byte* const scratch_;
  const std::byte* const x_;  // as the products take it
  const Parts blocks_ = blocks_of(shape_, in_.first);

  std::int64_t first_block_ = 0, count_ = 0;  // of the group
  std::int64_t first_token_ = 0;              // of the batch
  Parts pieces_, chunks_;                     // of the batch
};

}  // namespace

VocabularyGradient::VocabularyGradient(const VocabularyShape& shape, int workers)
    : prepared_(std::make_unique<const Prepared>(shape, workers)) {}
VocabularyGradient::VocabularyGradient(VocabularyGradient&&) noexcept = default;
VocabularyGradient::~VocabularyGradient() = default;

std::int64_t VocabularyGradient::scratch_bytes() const { return prepared_->at.bytes; }

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
  return GradientScratch(shape, workers).bytes;
}

}  // namespace phasor::kernels
