// The head of a language model, from the last activation to the loss and back, without ever holding its logits: they
// are made a block of the vocabulary at a time, and made again for the gradient; or those of a few tokens at a time,
// for both. The loss keeps three numbers a token, as in Milakov and Gimelshein, "Online normalizer calculation for
// softmax", 2018.
//
// A token's logits are x weight', of `width` terms each. Everything is done block by block of the vocabulary in a fixed
// order, so that a table whole and the same table in slices give the same bits, as long as each slice but the last is
// whole blocks: sums from the first block to the last, dx from the last to the first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "engine/base/dtype.h"

namespace phasor::kernels {

struct VocabularyShape {
  std::int64_t tokens = 0, width = 0;
  std::int64_t entries = 0;   // of the weight, which is the table or a slice of it
  std::int64_t whole = 0;     // of the table
  std::int64_t block = 0;     // entries
  DType x = DType::f32;       // f32, or bf16 where the weight is
  DType weight = DType::f32;  // of what is multiplied, too: an f32 x is rounded to it first
  std::string_view products;  // ProductShape::backend
};

struct VocabularyInputs {
  const void* x;                         // [tokens, width]
  const void* weight;                    // [entries, width]; those behind the whole are padding
  std::span<const std::int32_t> labels;  // of each token, an entry of the whole
  std::int64_t first = 0;                // entry of the whole that is the weight's first
};

// What is known of a token after some entries: the greatest logit, the sum of exp(logit - greatest), and the label's
// logit, 0 as long as it has not come. A sum of 0: no entry yet.
inline constexpr std::int64_t kVocabularySums = 3;

// sums [tokens, kVocabularySums] after the weight's entries; of a token of weight 0 all are 0.
class VocabularySums {
 public:
  // For teams of at most `workers` threads. Its products are prepared here (engine/kernels/product/product.h).
  VocabularySums(const VocabularyShape& shape, int workers);
  VocabularySums(VocabularySums&&) noexcept;
  ~VocabularySums();

  std::int64_t scratch_bytes() const;

  // before: what earlier slices have made; empty: this is the first. A label outside the whole is our own error where
  // its weight is not 0. scratch: scratch_bytes() from a multiple of 64 on. One run at a time.
  void run(const VocabularyInputs& in, std::span<const float> label_weights, std::span<const float> before,
           std::span<float> sums, std::span<std::byte> scratch) const;

 private:
  struct Prepared;
  std::unique_ptr<const Prepared> prepared_;
};

// loss[0] = sum over tokens of weight * (greatest + log(sum) - label's logit).
void vocabulary_loss(std::span<const float> sums, std::span<const float> label_weights, std::span<float> loss);

// What the gradient of every slice wants to know, not the derivatives by the three sums: of each token
// (greatest, coefficient / sum, coefficient), coefficient = dloss * weight; all 0 where the weight is 0.
void vocabulary_loss_gradient(std::span<const float> sums, std::span<const float> label_weights,
                              std::span<const float> dloss, std::span<float> dsums);

// dlogits = coefficient * (exp(logit - greatest) / sum - one_hot(label)), rounded to the weight's type; a piece at a
// time.  dweight += dlogits' x,  dx = dx_sum + dlogits weight.
class VocabularyGradient {
 public:
  VocabularyGradient(const VocabularyShape& shape, int workers);
  VocabularyGradient(VocabularyGradient&&) noexcept;
  ~VocabularyGradient();

  std::int64_t scratch_bytes() const;

  // dsums: of vocabulary_loss_gradient. dx_sum: what the slices behind this one have made, of x's type; null: this is
  // the last. dx is summed in f32 whatever its type.
  void run(const VocabularyInputs& in, std::span<const float> dsums, const void* dx_sum, std::span<float> dweight,
           void* dx, std::span<std::byte> scratch) const;

 private:
  struct Prepared;
  std::unique_ptr<const Prepared> prepared_;
};

// Both in one, of a whole table in f32 whose sums nobody has yet: logits are made once, those of some tokens at a time,
// and held while these tokens' gradients are made of them. The bits are those of one after the other.
class VocabularySumsWithGradient {
 public:
  VocabularySumsWithGradient(const VocabularyShape& shape, int workers);
  VocabularySumsWithGradient(VocabularySumsWithGradient&&) noexcept;
  ~VocabularySumsWithGradient();

  std::int64_t scratch_bytes() const;

  // dloss: of vocabulary_loss. dweight is added to; dx [tokens, width]; dsums as of vocabulary_loss_gradient.
  void run(const VocabularyInputs& in, std::span<const float> label_weights, std::span<const float> dloss,
           std::span<float> dweight, std::span<float> dx, std::span<float> sums, std::span<float> dsums,
           std::span<std::byte> scratch) const;

 private:
  struct Prepared;
  std::unique_ptr<const Prepared> prepared_;
};

// The logits of one token of each row of several, in which they are held: of those that the next token is chosen by.
class VocabularyLogits {
 public:
  // shape.tokens: the number of rows.
  VocabularyLogits(const VocabularyShape& shape, int workers);
  VocabularyLogits(VocabularyLogits&&) noexcept;
  ~VocabularyLogits();

  std::int64_t scratch_bytes() const;

  // in.x is [rows, row_tokens, width]; in.labels nobody's. last [rows]: which of the row's tokens; one outside counts
  // as the nearest. logits [rows, whole]: those of the weight's entries; the others as `before` has them, which may lie
  // in the same place; empty: 0.
  void run(const VocabularyInputs& in, std::int64_t row_tokens, std::span<const std::int32_t> last,
           std::span<const float> before, std::span<float> logits, std::span<std::byte> scratch) const;

 private:
  struct Prepared;
  std::unique_ptr<const Prepared> prepared_;
};

// scratch_bytes() of such kernels, without preparing anything expensive. With e the size of the weight's type, G blocks
// at a time, at least four and one a worker, and N tokens at a time, 1024 and 128 a worker at least, they are about
//   sums:      G block width e + 12 G tokens + workers 512 block
//   gradient:  2 G block width e + N width e + G N block e + workers 512 block
// and where x is not of the weight's type, or is not f32, a copy of it: 24 MiB for a width of 768 in f32. With both in
// one it is N whole e instead of G N block e, but N is 256, or 64 a worker: 49 MiB more for 50,257 entries.
std::int64_t vocabulary_sums_scratch_bytes(const VocabularyShape& shape, int workers);
std::int64_t vocabulary_gradient_scratch_bytes(const VocabularyShape& shape, int workers);
std::int64_t vocabulary_sums_with_gradient_scratch_bytes(const VocabularyShape& shape, int workers);
// Those of the sums, less what these hold of them.
std::int64_t vocabulary_logits_scratch_bytes(const VocabularyShape& shape, int workers);

}  // namespace phasor::kernels
