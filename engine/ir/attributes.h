// What a node knows besides its inputs: one small struct a kind of op.
#pragma once

#include <cstdint>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/base/dtype.h"
#include "engine/base/ops/gelu_kind.h"
#include "engine/base/shape.h"

namespace phasor {

struct NoAttributes {
  friend bool operator==(const NoAttributes&, const NoAttributes&) = default;
};

// By whose arithmetic matrices are multiplied, where it serves them; `automatic`: by the fastest on this machine.
enum class Products : std::uint8_t { automatic, onednn, openblas, blis, eigen };

// As kernels call it; empty for `automatic`.
constexpr std::string_view backend_name(Products products) {
  constexpr std::string_view kNames[] = {"", "onednn", "openblas", "blis", "eigen"};
  return kNames[static_cast<std::size_t>(products)];
}

// Operands of one type, f32 or bf16, are multiplied and summed in f32; the sums are rounded to `result`.
struct MatmulAttributes {
  bool transpose_a = false, transpose_b = false;
  DType result = DType::f32;
  std::int64_t packed_columns = 0;  // of a b that `pack` has laid out; 0: b is as transpose_b says
  Products products = Products::automatic;
  friend bool operator==(const MatmulAttributes&, const MatmulAttributes&) = default;
};

// How one input, the b of products, is laid out as the machine likes it: in `elements` elements of its type.
struct PackedOperand {
  bool transpose_b = false;  // whether b is stored [n, k]
  std::int64_t elements = 0;
  Products products = Products::automatic;  // of those that it is for
  friend bool operator==(const PackedOperand&, const PackedOperand&) = default;
};
struct PackAttributes {
  std::vector<PackedOperand> operands;
  friend bool operator==(const PackAttributes&, const PackAttributes&) = default;
};

// The shape of the result, where the inputs do not tell it: reshape, reduce_sum, places.
struct ShapeAttributes {
  Shape shape;
  friend bool operator==(const ShapeAttributes&, const ShapeAttributes&) = default;
};

struct GeluAttributes {
  GeluKind kind = GeluKind::erf;
  friend bool operator==(const GeluAttributes&, const GeluAttributes&) = default;
};

// `site` tells the draws of one stage apart, `probability` is that of dropping.
struct DropoutAttributes {
  float probability = 0;
  std::int64_t site = 0;
  friend bool operator==(const DropoutAttributes&, const DropoutAttributes&) = default;
};

struct AttentionAttributes {
  std::int64_t heads = 0;
  bool causal = false;       // a query does not attend to keys behind it
  std::int64_t longest = 0;  // tokens of a segment, at most, whether or not a row has as many; 0: those of a row
  float probability = 0;
  std::int64_t site = 0;
  Products products = Products::automatic;
  friend bool operator==(const AttentionAttributes&, const AttentionAttributes&) = default;
};

struct CachedAttentionAttributes {
  std::int64_t heads = 0;
  friend bool operator==(const CachedAttentionAttributes&, const CachedAttentionAttributes&) = default;
};

struct ConvolutionAttributes {
  std::int64_t stride = 1, padding = 0;  // in both directions
  Shape gradient_of;                     // of a gradient's node: the shape of x, or of the weight; else a scalar's
  friend bool operator==(const ConvolutionAttributes&, const ConvolutionAttributes&) = default;
};

struct PoolingAttributes {
  std::int64_t window = 2, stride = 2;  // in both directions
  bool relu = false;                    // y = max(0, the largest of a window)
  Shape gradient_of;                    // of a gradient's node: the shape of x; else a scalar's
  friend bool operator==(const PoolingAttributes&, const PoolingAttributes&) = default;
};

struct NormAttributes {
  float eps = 0;
  friend bool operator==(const NormAttributes&, const NormAttributes&) = default;
};

struct DropoutNormAttributes {
  float probability = 0;  // of dropping
  std::int64_t site = 0;
  float eps = 0;
  friend bool operator==(const DropoutNormAttributes&, const DropoutNormAttributes&) = default;
};

struct ConvertAttributes {
  DType dtype = DType::f32;
  friend bool operator==(const ConvertAttributes&, const ConvertAttributes&) = default;
};

struct EmbeddingAttributes {
  std::int64_t entries = 0;   // of the table that a gradient is for
  std::int64_t padding = -1;  // the entry that stands for no token and gets no gradient; -1: none
  std::int64_t whole = 0;     // entries of the table that this one is a slice of; 0: it is no slice
  friend bool operator==(const EmbeddingAttributes&, const EmbeddingAttributes&) = default;
};

// The vocabulary ops go through the entries of a vocabulary in blocks of so many, whose results they put together in a
// fixed order. Slices of a vocabulary are whole blocks, and therefore do not show in the bits.
inline constexpr std::int64_t kVocabularyBlock = 512;

struct VocabularyAttributes {
  std::int64_t whole = 0;  // entries of the vocabulary that the weight is a slice of; 0: the weight is all of it
  Products products = Products::automatic;
  friend bool operator==(const VocabularyAttributes&, const VocabularyAttributes&) = default;
};

struct AdamAttributes {
  double beta1 = 0, beta2 = 0;
  float eps = 0, weight_decay = 0;
  bool decoupled = true;  // weight decay: AdamW; else it joins the gradient
  bool rounds = false;    // the new weights come out in bf16, too
  friend bool operator==(const AdamAttributes&, const AdamAttributes&) = default;
};

// Of gradient descent: `momentum` and, without it, `descent`.
struct DescentAttributes {
  float momentum = 0, weight_decay = 0;
  bool nesterov = false;
  bool rounds = false;  // as Adam's
  friend bool operator==(const DescentAttributes&, const DescentAttributes&) = default;
};

// Of Adafactor: what the matrices of a variable are. A part of one has fewer rows, which the specs show.
struct AdafactorAttributes {
  std::int64_t matrices = 1, rows = 0, columns = 0;
  float weight_decay = 0;
  bool rounds = false;  // as Adam's
  friend bool operator==(const AdafactorAttributes&, const AdafactorAttributes&) = default;
};

// To bf16, at random.
struct StochasticRoundAttributes {
  std::int64_t number = 0;          // of the variable within its stage
  std::int64_t shard_elements = 0;  // of a replica's part, or 0 where each has the whole
  std::int64_t first = 0;           // number of the first element within the replica's part
  std::int64_t slice_elements = 0;  // of the variable in a sliced stage (stage.h), or 0
  friend bool operator==(const StochasticRoundAttributes&, const StochasticRoundAttributes&) = default;
};

struct ClipAttributes {
  float max_norm = 0;
  friend bool operator==(const ClipAttributes&, const ClipAttributes&) = default;
};

using Attributes =
    std::variant<NoAttributes, MatmulAttributes, PackAttributes, ShapeAttributes, GeluAttributes, DropoutAttributes,
                 AttentionAttributes, CachedAttentionAttributes, ConvolutionAttributes, PoolingAttributes,
                 NormAttributes, DropoutNormAttributes, ConvertAttributes, EmbeddingAttributes, VocabularyAttributes,
                 AdamAttributes, DescentAttributes, AdafactorAttributes, StochasticRoundAttributes, ClipAttributes>;

}  // namespace phasor
