// Appends nodes to a graph, one method an op; shapes are inferred and checked at once.
#pragma once

#include <string>

#include "engine/ir/graph.h"

namespace phasor {

class Builder {
 public:
  explicit Builder(Graph& graph) : graph_(graph) {}

  Graph& graph() { return graph_; }
  // By value: a reference would not outlive the next node.
  TensorSpec spec(Value value) const { return graph_.spec(value); }
  Shape shape(Value value) const { return graph_.spec(value).shape; }

  // `bias` may be invalid: none.
  Value matmul(Value a, Value b, MatmulAttributes attributes = {}, Value bias = {});
  Value matmul_add(Value sum, Value a, Value b, MatmulAttributes attributes);
  std::vector<Value> pack(std::vector<Value> operands, PackAttributes attributes);
  Value add(Value a, Value b);
  Value reduce_sum(Value x, const Shape& shape);
  Value gelu(Value x, GeluAttributes attributes = {});
  Value gelu_gradient(Value x, Value dy, GeluAttributes attributes = {});
  Value relu(Value x);
  Value relu_gradient(Value y, Value dy);
  // `segments` may be invalid: the first dimension of x counts samples.
  Value dropout(Value x, Value position, DropoutAttributes attributes, Value segments = {});

  struct Normalised {
    Value y, mean, rstd;
  };
  Normalised layer_norm(Value x, Value gamma, Value beta, NormAttributes attributes);
  struct NormGradient {
    Value dx, dgamma, dbeta;
  };
  NormGradient layer_norm_gradient(Value x, Value gamma, Value mean, Value rstd, Value dy);

  struct ResidualNormalised {
    Value sum, y, mean, rstd;
  };
  // sum = dropout(x) + residual, y = layer_norm(sum).
  ResidualNormalised dropout_add_norm(Value x, Value residual, Value gamma, Value beta, Value position,
                                      DropoutNormAttributes attributes, Value segments = {});
  struct ResidualNormGradient {
    Value dx, dresidual, dgamma, dbeta;
  };
  ResidualNormGradient dropout_add_norm_gradient(const ResidualNormalised& forward, Value gamma, Value position,
                                                 Value dy, DropoutNormAttributes attributes, Value segments = {});

  Value embedding(Value table, Value ids, EmbeddingAttributes attributes = {});
  // `table` is a slice of one of attributes.whole entries; `position` says which.
  Value embedding_slice(Value x, Value table, Value ids, Value position, EmbeddingAttributes attributes);
  // `position` is that of a slice's op, else invalid.
  Value embedding_gradient(Value ids, Value dy, EmbeddingAttributes attributes, Value position = {});
  Value embedding_gradient_add(Value sum, Value ids, Value dy, EmbeddingAttributes attributes, Value position = {});

  struct Attended {
    Value out, log_sum_exp;
  };
  Attended attention(Value qkv, Value segments, Value position, AttentionAttributes attributes);
  Value attention_gradient(Value qkv, Value segments, Value position, const Attended& attended, Value dout,
                           AttentionAttributes attributes);

  struct CachedAttended {
    Value cache, out;
  };
  CachedAttended attention_cached(Value cache, Value qkv, Value places, Value last,
                                  CachedAttentionAttributes attributes);

  Value conv2d(Value x, Value weight, Value bias, ConvolutionAttributes attributes = {});
  // `shape`: that of x, of which the attributes need not tell.
  Value conv2d_input_gradient(Value weight, Value dy, const Shape& shape, ConvolutionAttributes attributes);
  struct ConvolutionGradient {
    Value dweight, dbias;
  };
  // `shape`: that of the weight.
  ConvolutionGradient conv2d_weight_gradient(Value x, Value dy, const Shape& shape, ConvolutionAttributes attributes);
  struct Pooled {
    Value y, indices;
  };
  Pooled max_pool2d(Value x, PoolingAttributes attributes = {});
  // `shape`: that of x.
  Value max_pool2d_gradient(Value indices, Value dy, const Shape& shape, PoolingAttributes attributes);

  // `segments` may be invalid: every row of logits has one label.
  Value cross_entropy(Value logits, Value labels, Value weights, Value segments = {});
  Value cross_entropy_gradient(Value logits, Value labels, Value weights, Value dloss, Value segments = {});

  // The slice of a vocabulary of attributes.whole entries that a weight is, and what the slices before it have made.
  // `position` is invalid where the weight is all of it; `before`, where there is nothing yet.
  struct VocabularySlice {
    Value position, before;
  };
  Value vocabulary_sums(Value x, Value weight, Value labels, Value label_weights, VocabularyAttributes attributes = {},
                        VocabularySlice slice = {});
  Value vocabulary_loss(Value sums, Value label_weights);
  Value vocabulary_loss_gradient(Value sums, Value label_weights, Value dloss);
  struct VocabularyGradient {
    Value dweight, dx;
  };
  // slice.before: the dx that the slices behind this one have made.
  VocabularyGradient vocabulary_gradient(Value x, Value weight, Value labels, Value dsums,
                                         VocabularyAttributes attributes = {}, VocabularySlice slice = {});
  VocabularyGradient vocabulary_gradient_add(Value sum, Value x, Value weight, Value labels, Value dsums,
                                             VocabularyAttributes attributes = {}, VocabularySlice slice = {});

  Value vocabulary_logits(Value x, Value weight, Value last, VocabularyAttributes attributes = {},
                          VocabularySlice slice = {});

  Value transpose(Value x);
  Value reshape(Value x, const Shape& shape);  // x itself where it has that shape
  Value convert(Value x, DType dtype);         // x itself where it has that type
  Value places(Value segments, const Shape& shape);

  struct Updated {
    Value w, m, v;
    Value rounded{};  // invalid unless attributes.rounds
  };
  // `clip` may be invalid: no clipping.
  Updated adam(Value w, Value m, Value v, Value g, Value step, Value clip, AdamAttributes attributes);
  struct LambMoments {
    Value m, v, sums;
  };
  LambMoments lamb_moments(Value m, Value v, Value sums, Value w, Value g, Value step, Value clip,
                           AdamAttributes attributes);
  Value lamb_ratio(Value sums);
  Updated lamb_weights(Value w, Value m, Value v, Value step, Value ratio, AdamAttributes attributes);
  // m may be invalid, where there is no momentum: then so is that of the result. v always is.
  Updated descent(Value w, Value m, Value g, Value step, Value clip, DescentAttributes attributes);
  struct FactorSums {
    Value rows, columns;
  };
  FactorSums adafactor_sums(FactorSums before, Value g, Value step, Value clip, AdafactorAttributes attributes);
  struct Factors {
    Value moments, factors;
  };
  Factors adafactor_factors(Value moments, Value sums, Value step, AdafactorAttributes attributes);
  Value adafactor_squares(Value squares, Value g, FactorSums factors, Value step, Value clip,
                          AdafactorAttributes attributes);
  Updated adafactor_weights(Value w, Value g, FactorSums factors, Value squares, Value step, Value clip,
                            AdafactorAttributes attributes);
  Value stochastic_round(Value x, Value position, StochasticRoundAttributes attributes);
  Value square_sum(Value sum, Value x);
  struct Clipped {
    Value clip, norm;
  };
  Clipped clip_factor(Value sharded, Value whole, Value step, ClipAttributes attributes);

  // Appends a node of any op.
  std::vector<Value> append(Op op, std::vector<Value> inputs, Attributes attributes = NoAttributes{});

 private:
  Graph& graph_;
};

}  // namespace phasor
