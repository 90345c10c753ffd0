#include "engine/ir/builder.h"

#include "engine/ir/op_table.h"

namespace phasor {

namespace {
// The inputs, and one more where there is one.
std::vector<Value> with_optional(std::vector<Value> inputs, Value last) {
  if (last.valid()) inputs.push_back(last);
  return inputs;
}
std::vector<Value> with_slice(std::vector<Value> inputs, const Builder::VocabularySlice& slice) {
  return with_optional(with_optional(std::move(inputs), slice.position), slice.before);
}
}  // namespace

std::vector<Value> Builder::append(Op op, std::vector<Value> inputs, Attributes attributes) {
  Specs specs;
  for (Value input : inputs) {
    ensure(input.valid() && input.id < static_cast<int>(graph_.values.size()), "{}: input {} is not in the graph",
           op_info(op).name, input.id);
    specs.push_back(graph_.spec(input));
  }
  std::vector<Value> outputs;
  for (const TensorSpec& spec : output_specs(op, specs, attributes)) {
    outputs.push_back({static_cast<std::int32_t>(graph_.values.size())});
    graph_.values.push_back({.spec = spec, .name = {}, .producer = static_cast<std::int32_t>(graph_.nodes.size())});
  }
  graph_.nodes.push_back({op, attributes, std::move(inputs), outputs});
  return outputs;
}

Value Builder::matmul(Value a, Value b, MatmulAttributes attributes, Value bias) {
  return append(Op::matmul, with_optional({a, b}, bias), attributes)[0];
}
Value Builder::matmul_add(Value sum, Value a, Value b, MatmulAttributes attributes) {
  return append(Op::matmul_add, {sum, a, b}, attributes)[0];
}
std::vector<Value> Builder::pack(std::vector<Value> operands, PackAttributes attributes) {
  return append(Op::pack, std::move(operands), std::move(attributes));
}
Value Builder::add(Value a, Value b) { return append(Op::add, {a, b})[0]; }
Value Builder::reduce_sum(Value x, const Shape& shape) {
  return append(Op::reduce_sum, {x}, ShapeAttributes{shape})[0];
}
Value Builder::gelu(Value x, GeluAttributes attributes) { return append(Op::gelu, {x}, attributes)[0]; }
Value Builder::gelu_gradient(Value x, Value dy, GeluAttributes attributes) {
  return append(Op::gelu_gradient, {x, dy}, attributes)[0];
}
Value Builder::relu(Value x) { return append(Op::relu, {x})[0]; }
Value Builder::relu_gradient(Value y, Value dy) { return append(Op::relu_gradient, {y, dy})[0]; }
Value Builder::dropout(Value x, Value position, DropoutAttributes attributes, Value segments) {
  return append(Op::dropout, with_optional({x, position}, segments), attributes)[0];
}

Builder::Normalised Builder::layer_norm(Value x, Value gamma, Value beta, NormAttributes attributes) {
  const auto outputs = append(Op::layer_norm, {x, gamma, beta}, attributes);
  return {outputs[0], outputs[1], outputs[2]};
}
Builder::NormGradient Builder::layer_norm_gradient(Value x, Value gamma, Value mean, Value rstd, Value dy) {
  const auto outputs = append(Op::layer_norm_gradient, {x, gamma, mean, rstd, dy});
  return {outputs[0], outputs[1], outputs[2]};
}

Builder::ResidualNormalised Builder::dropout_add_norm(Value x, Value residual, Value gamma, Value beta, Value position,
                                                      DropoutNormAttributes attributes, Value segments) {
  const auto outputs =
      append(Op::dropout_add_norm, with_optional({x, residual, gamma, beta, position}, segments), attributes);
  return {outputs[0], outputs[1], outputs[2], outputs[3]};
}
Builder::ResidualNormGradient Builder::dropout_add_norm_gradient(const ResidualNormalised& forward, Value gamma,
                                                                 Value position, Value dy,
                                                                 DropoutNormAttributes attributes, Value segments) {
  const auto outputs =
      append(Op::dropout_add_norm_gradient,
             with_optional({forward.sum, gamma, forward.mean, forward.rstd, position, dy}, segments), attributes);
  return {outputs[0], outputs[1], outputs[2], outputs[3]};
}

Value Builder::embedding(Value table, Value ids, EmbeddingAttributes attributes) {
  attributes.entries = shape(table)[0];
  return append(Op::embedding, {table, ids}, attributes)[0];
}
Value Builder::embedding_slice(Value x, Value table, Value ids, Value position, EmbeddingAttributes attributes) {
  attributes.entries = shape(table)[0];
  return append(Op::embedding_slice, {x, table, ids, position}, attributes)[0];
}
Value Builder::embedding_gradient(Value ids, Value dy, EmbeddingAttributes attributes, Value position) {
  return append(Op::embedding_gradient, with_optional({ids, dy}, position), attributes)[0];
}
Value Builder::embedding_gradient_add(Value sum, Value ids, Value dy, EmbeddingAttributes attributes, Value position) {
  return append(Op::embedding_gradient_add, with_optional({sum, ids, dy}, position), attributes)[0];
}

Builder::Attended Builder::attention(Value qkv, Value segments, Value position, AttentionAttributes attributes) {
  const auto outputs = append(Op::attention, {qkv, segments, position}, attributes);
  return {outputs[0], outputs[1]};
}
Value Builder::attention_gradient(Value qkv, Value segments, Value position, const Attended& attended, Value dout,
                                  AttentionAttributes attributes) {
  return append(Op::attention_gradient, {qkv, segments, position, attended.out, attended.log_sum_exp, dout},
                attributes)[0];
}

Builder::CachedAttended Builder::attention_cached(Value cache, Value qkv, Value places, Value last,
                                                  CachedAttentionAttributes attributes) {
  const auto outputs = append(Op::attention_cached, {cache, qkv, places, last}, attributes);
  return {outputs[0], outputs[1]};
}

Value Builder::conv2d(Value x, Value weight, Value bias, ConvolutionAttributes attributes) {
  return append(Op::conv2d, {x, weight, bias}, attributes)[0];
}
Value Builder::conv2d_input_gradient(Value weight, Value dy, const Shape& shape, ConvolutionAttributes attributes) {
  attributes.gradient_of = shape;
  return append(Op::conv2d_input_gradient, {weight, dy}, attributes)[0];
}
Builder::ConvolutionGradient Builder::conv2d_weight_gradient(Value x, Value dy, const Shape& shape,
                                                             ConvolutionAttributes attributes) {
  attributes.gradient_of = shape;
  const auto outputs = append(Op::conv2d_weight_gradient, {x, dy}, attributes);
  return {outputs[0], outputs[1]};
}
Builder::Pooled Builder::max_pool2d(Value x, PoolingAttributes attributes) {
  const auto outputs = append(Op::max_pool2d, {x}, attributes);
  return {outputs[0], outputs[1]};
}
Value Builder::max_pool2d_gradient(Value indices, Value dy, const Shape& shape, PoolingAttributes attributes) {
  attributes.gradient_of = shape;
  return append(Op::max_pool2d_gradient, {indices, dy}, attributes)[0];
}

Value Builder::cross_entropy(Value logits, Value labels, Value weights, Value segments) {
  return append(Op::cross_entropy, with_optional({logits, labels, weights}, segments))[0];
}
Value Builder::cross_entropy_gradient(Value logits, Value labels, Value weights, Value dloss, Value segments) {
  return append(Op::cross_entropy_gradient, with_optional({logits, labels, weights, dloss}, segments))[0];
}

Value Builder::vocabulary_sums(Value x, Value weight, Value labels, Value label_weights,
                               VocabularyAttributes attributes, VocabularySlice slice) {
  return append(Op::vocabulary_sums, with_slice({x, weight, labels, label_weights}, slice), attributes)[0];
}
Value Builder::vocabulary_loss(Value sums, Value label_weights) {
  return append(Op::vocabulary_loss, {sums, label_weights})[0];
}
Value Builder::vocabulary_loss_gradient(Value sums, Value label_weights, Value dloss) {
  return append(Op::vocabulary_loss_gradient, {sums, label_weights, dloss})[0];
}
Builder::VocabularyGradient Builder::vocabulary_gradient(Value x, Value weight, Value labels, Value dsums,
                                                         VocabularyAttributes attributes, VocabularySlice slice) {
  const auto outputs = append(Op::vocabulary_gradient, with_slice({x, weight, labels, dsums}, slice), attributes);
  return {outputs[0], outputs[1]};
}
Builder::VocabularyGradient Builder::vocabulary_gradient_add(Value sum, Value x, Value weight, Value labels,
                                                             Value dsums, VocabularyAttributes attributes,
                                                             VocabularySlice slice) {
  const auto outputs =
      append(Op::vocabulary_gradient_add, with_slice({sum, x, weight, labels, dsums}, slice), attributes);
  return {outputs[0], outputs[1]};
}

Value Builder::vocabulary_logits(Value x, Value weight, Value last, VocabularyAttributes attributes,
                                 VocabularySlice slice) {
  return append(Op::vocabulary_logits, with_slice({x, weight, last}, slice), attributes)[0];
}

Value Builder::transpose(Value x) { return append(Op::transpose, {x})[0]; }
Value Builder::reshape(Value x, const Shape& shape) {
  return this->shape(x) == shape ? x : append(Op::reshape, {x}, ShapeAttributes{shape})[0];
}
Value Builder::convert(Value x, DType dtype) {
  return spec(x).dtype == dtype ? x : append(Op::convert, {x}, ConvertAttributes{dtype})[0];
}
Value Builder::places(Value segments, const Shape& shape) {
  return append(Op::places, {segments}, ShapeAttributes{shape})[0];
}

Builder::Updated Builder::adam(Value w, Value m, Value v, Value g, Value step, Value clip, AdamAttributes attributes) {
  const auto outputs = append(Op::adam, with_optional({w, m, v, g, step}, clip), attributes);
  return {outputs[0], outputs[1], outputs[2], attributes.rounds ? outputs[3] : Value{}};
}
Builder::LambMoments Builder::lamb_moments(Value m, Value v, Value sums, Value w, Value g, Value step, Value clip,
                                           AdamAttributes attributes) {
  const auto outputs = append(Op::lamb_moments, with_optional({m, v, sums, w, g, step}, clip), attributes);
  return {outputs[0], outputs[1], outputs[2]};
}
Value Builder::lamb_ratio(Value sums) { return append(Op::lamb_ratio, {sums})[0]; }
Builder::Updated Builder::lamb_weights(Value w, Value m, Value v, Value step, Value ratio, AdamAttributes attributes) {
  const auto outputs = append(Op::lamb_weights, {w, m, v, step, ratio}, attributes);
  return {outputs[0], m, v, attributes.rounds ? outputs[1] : Value{}};
}
Builder::Updated Builder::descent(Value w, Value m, Value g, Value step, Value clip, DescentAttributes attributes) {
  const bool moves = m.valid();
  const auto outputs = moves ? append(Op::momentum, with_optional({w, m, g, step}, clip), attributes)
                             : append(Op::descent, with_optional({w, g, step}, clip), attributes);
  return {outputs[0], moves ? outputs[1] : Value{}, {}, attributes.rounds ? outputs.back() : Value{}};
}
Builder::FactorSums Builder::adafactor_sums(FactorSums before, Value g, Value step, Value clip,
                                            AdafactorAttributes attributes) {
  const auto outputs =
      append(Op::adafactor_sums, with_optional({before.rows, before.columns, g, step}, clip), attributes);
  return {outputs[0], outputs[1]};
}
Builder::Factors Builder::adafactor_factors(Value moments, Value sums, Value step, AdafactorAttributes attributes) {
  const auto outputs = append(Op::adafactor_factors, {moments, sums, step}, attributes);
  return {outputs[0], outputs[1]};
}
Value Builder::adafactor_squares(Value squares, Value g, FactorSums factors, Value step, Value clip,
                                 AdafactorAttributes attributes) {
  return append(Op::adafactor_squares, with_optional({squares, g, factors.rows, factors.columns, step}, clip),
                attributes)[0];
}
Builder::Updated Builder::adafactor_weights(Value w, Value g, FactorSums factors, Value squares, Value step, Value clip,
                                            AdafactorAttributes attributes) {
  const auto outputs = append(Op::adafactor_weights,
                              with_optional({w, g, factors.rows, factors.columns, squares, step}, clip), attributes);
  return {outputs[0], {}, {}, attributes.rounds ? outputs[1] : Value{}};
}
Value Builder::stochastic_round(Value x, Value position, StochasticRoundAttributes attributes) {
  return append(Op::stochastic_round, {x, position}, attributes)[0];
}
Value Builder::square_sum(Value sum, Value x) { return append(Op::square_sum, {sum, x})[0]; }
Builder::Clipped Builder::clip_factor(Value sharded, Value whole, Value step, ClipAttributes attributes) {
  const auto outputs = append(Op::clip_factor, {sharded, whole, step}, attributes);
  return {outputs[0], outputs[1]};
}

}  // namespace phasor
