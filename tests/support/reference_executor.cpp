#include "tests/support/reference_executor.h"

#include <array>
#include <type_traits>

#include "engine/ir/op_table.h"
#include "tests/support/reference/adafactor.h"
#include "tests/support/reference/attention.h"
#include "tests/support/reference/elementwise.h"
#include "tests/support/reference/images.h"
#include "tests/support/reference/losses.h"
#include "tests/support/reference/norms.h"
#include "tests/support/reference/optimizers.h"
#include "tests/support/reference/products.h"
#include "tests/support/reference/tables.h"

namespace phasor::test {

namespace reference_ops {
namespace {

template <class T>
using Reference = void (*)(RunningNode<T>& node);

template <class T>
struct ReferenceRow {
  Op op;
  Reference<T> run;
};

template <class T>
void refuse(RunningNode<T>& node) {
  ensure(false, "test: {} is not differentiable", op_info(node.op()).name);
}

// What has no derivative that is asked for has no reference in complex numbers.
template <class T, Reference<double> reference>
constexpr Reference<T> real_only() {
  if constexpr (std::is_same_v<T, double>) {
    return reference;
  } else {
    return refuse<T>;
  }
}

// In the order of the ops.
template <class T>
constexpr std::array<ReferenceRow<T>, kOps> kReferences{{
    {Op::matmul, matmul<T>},
    {Op::matmul_add, matmul_add<T>},
    {Op::pack, pack<T>},
    {Op::add, add<T>},
    {Op::reduce_sum, reduce_sum<T>},
    {Op::gelu, gelu<T>},
    {Op::gelu_gradient, gelu_gradient<T>},
    {Op::gelu_with_gradient, gelu_with_gradient<T>},
    {Op::relu, relu<T>},
    {Op::relu_gradient, relu_gradient<T>},
    {Op::dropout, dropout<T>},
    {Op::layer_norm, layer_norm<T>},
    {Op::layer_norm_gradient, layer_norm_gradient<T>},
    {Op::dropout_add_norm, dropout_add_norm<T>},
    {Op::dropout_add_norm_gradient, dropout_add_norm_gradient<T>},
    {Op::embedding, embedding<T>},
    {Op::embedding_slice, embedding_slice<T>},
    {Op::embedding_gradient, embedding_gradient<T>},
    {Op::embedding_gradient_add, embedding_gradient_add<T>},
    {Op::attention, attention<T>},
    {Op::attention_gradient, attention_gradient<T>},
    {Op::attention_cached, attention_cached<T>},
    {Op::conv2d, conv2d<T>},
    {Op::conv2d_input_gradient, conv2d_input_gradient<T>},
    {Op::conv2d_weight_gradient, conv2d_weight_gradient<T>},
    {Op::max_pool2d, max_pool2d<T>},
    {Op::max_pool2d_gradient, max_pool2d_gradient<T>},
    {Op::cross_entropy, cross_entropy<T>},
    {Op::cross_entropy_gradient, cross_entropy_gradient<T>},
    {Op::vocabulary_sums, vocabulary_sums<T>},
    {Op::vocabulary_loss, vocabulary_loss<T>},
    {Op::vocabulary_loss_gradient, vocabulary_loss_gradient<T>},
    {Op::vocabulary_gradient, vocabulary_gradient<T>},
    {Op::vocabulary_gradient_add, vocabulary_gradient_add<T>},
    {Op::vocabulary_sums_with_gradient, vocabulary_sums_with_gradient<T>},
    {Op::vocabulary_logits, vocabulary_logits<T>},
    {Op::transpose, transpose<T>},
    {Op::reshape, copy<T>},
    {Op::convert, copy<T>},
    {Op::places, places<T>},
    {Op::adam, real_only<T, adam>()},
    {Op::lamb_moments, real_only<T, lamb_moments>()},
    {Op::lamb_ratio, real_only<T, lamb_ratio>()},
    {Op::lamb_weights, real_only<T, lamb_weights>()},
    {Op::momentum, real_only<T, descent>()},
    {Op::descent, real_only<T, descent>()},
    {Op::adafactor_sums, real_only<T, adafactor_sums>()},
    {Op::adafactor_factors, real_only<T, adafactor_factors>()},
    {Op::adafactor_squares, real_only<T, adafactor_squares>()},
    {Op::adafactor_weights, real_only<T, adafactor_weights>()},
    {Op::stochastic_round, copy<T>},
    {Op::square_sum, real_only<T, square_sum>()},
    {Op::clip_factor, real_only<T, clip_factor>()},
}};

constexpr bool is_in_order() {
  for (int op = 0; op < kOps; ++op) {
    if (kReferences<double>[op].op != static_cast<Op>(op)) return false;
  }
  return true;
}
static_assert(is_in_order(), "each op has its reference, in the order of enum Op");

}  // namespace
}  // namespace reference_ops

template <class T>
std::vector<Elements<T>> evaluate(const Graph& graph, const std::vector<Elements<T>>& inputs) {
  ensure(inputs.size() == graph.inputs.size(), "test: {} tensors for {} inputs", inputs.size(), graph.inputs.size());
  std::vector<Elements<T>> values;
  for (const ValueInfo& value : graph.values) values.emplace_back(value.spec);
  for (std::size_t i = 0; i < inputs.size(); ++i) values[graph.inputs[i].id] = inputs[i];
  for (const Node& node : graph.nodes) {
    reference_ops::RunningNode<T> running(graph, node, values);
    reference_ops::kReferences<T>[static_cast<std::size_t>(node.op)].run(running);
  }
  std::vector<Elements<T>> outputs;
  for (const Value output : graph.outputs) outputs.push_back(values[output.id]);
  return outputs;
}

template std::vector<Elements<double>> evaluate(const Graph&, const std::vector<Elements<double>>&);
template std::vector<Elements<std::complex<double>>> evaluate(const Graph&,
                                                              const std::vector<Elements<std::complex<double>>>&);

}  // namespace phasor::test
