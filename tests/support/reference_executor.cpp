#include "tests/support/reference_executor.h"

#include <bit>
#include <type_traits>

#include "engine/ir/records.h"
#include "engine/kernels/reference/adafactor.h"
#include "engine/kernels/reference/attention.h"
#include "engine/kernels/reference/attention_cached.h"
#include "engine/kernels/reference/convolution.h"
#include "engine/kernels/reference/dropout.h"
#include "engine/kernels/reference/elementwise.h"
#include "engine/kernels/reference/embedding.h"
#include "engine/kernels/reference/gelu.h"
#include "engine/kernels/reference/lamb.h"
#include "engine/kernels/reference/layout.h"
#include "engine/kernels/reference/loss.h"
#include "engine/kernels/reference/matmul.h"
#include "engine/kernels/reference/norm.h"
#include "engine/kernels/reference/optimizer.h"
#include "engine/kernels/reference/pooling.h"
#include "engine/kernels/reference/relu.h"
#include "engine/kernels/reference/square_sum.h"
#include "engine/kernels/reference/vocabulary.h"

namespace phasor::test {

namespace {

template <class T>
class ReferenceExecutor {
 public:
  explicit ReferenceExecutor(const Graph& graph) : graph_(graph) {
    for (const ValueInfo& value : graph.values) values_.emplace_back(value.spec);
  }

  std::vector<Elements<T>> run(const std::vector<Elements<T>>& inputs) {
    ensure(inputs.size() == graph_.inputs.size(), "test: {} tensors for {} inputs", inputs.size(),
           graph_.inputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) values_[graph_.inputs[i].id] = inputs[i];
    for (const Node& node : graph_.nodes) {
      node_ = &node;
      run_node();
    }
    std::vector<Elements<T>> outputs;
    for (Value output : graph_.outputs) outputs.push_back(values_[output.id]);
    return outputs;
  }

 private:
  void run_node() {
    switch (node_->op) {
      case Op::matmul:
        return run_matmul();
      case Op::matmul_add:
        return run_matmul_add();
      case Op::pack:
        return run_pack();
      case Op::add:
        return reference::add<T>(in(0), in(1), out(0));
      case Op::reduce_sum:
        return reference::reduce_sum<T>(in(0), out(0));
      case Op::gelu:
        return reference::gelu<T>(gelu_kind(), in(0), out(0));
      case Op::gelu_gradient:
        return reference::gelu_gradient<T>(gelu_kind(), in(0), in(1), out(0));
      case Op::gelu_with_gradient:
        reference::gelu_gradient<T>(gelu_kind(), in(0), in(1), out(0));
        return reference::gelu<T>(gelu_kind(), in(0), out(1));
      case Op::relu:
        return reference::relu<T>(in(0), out(0));
      case Op::relu_gradient:
        return reference::relu_gradient<T>(in(0), in(1), out(0));
      case Op::dropout: {
        const auto& [probability, site] = attributes<DropoutAttributes>();
        return run_dropout(position(1), site, probability, 2, in(0), out(0));
      }
      case Op::layer_norm:
        return reference::layer_norm<T>(attributes<NormAttributes>().eps, in(0), in(1), in(2), out(0), out(1), out(2));
      case Op::layer_norm_gradient:
        return reference::layer_norm_gradient<T>(in(0), in(1), in(2), in(3), in(4), out(0), out(1), out(2));
      case Op::dropout_add_norm:
        return run_dropout_add_norm();
      case Op::dropout_add_norm_gradient:
        return run_dropout_add_norm_gradient();
      case Op::embedding:
        return reference::embedding<T>(shape_in(0)[1], in(0), ids(1), out(0));
      case Op::embedding_slice:
        reference::copy<T>(in(0), out(0));
        return reference::embedding_slice<T>(shape_in(1)[1], first_entry(3), in(1), ids(2), out(0));
      case Op::embedding_gradient:
        return reference::embedding_gradient<T>(shape_out(0)[1], attributes<EmbeddingAttributes>().padding, ids(0),
                                                in(1), out(0), first_entry(2));
      case Op::embedding_gradient_add: {
        std::vector<T> gradient(out(0).size());
        reference::embedding_gradient<T>(shape_out(0)[1], attributes<EmbeddingAttributes>().padding, ids(1), in(2),
                                         gradient, first_entry(3));
        return reference::add<T>(in(0), gradient, out(0));
      }
      case Op::attention:
        return reference::attention<T>(attention_shape(), position(2), in(0), segments_in(1, shape_in(0)), out(0),
                                       out(1));
      case Op::attention_gradient:
        return reference::attention_gradient<T>(attention_shape(), position(2), in(0), segments_in(1, shape_in(0)),
                                                in(3), in(4), in(5), out(0));
      case Op::attention_cached:
        reference::copy<T>(in(0), out(0));
        return reference::attention_cached<T>(cached_shape(), in(1), ids(2), ids(3), out(0), out(1));
      case Op::conv2d:
        return reference::conv2d<T>(convolution_shape(shape_in(0), shape_in(1)), in(0), in(1), in(2), out(0));
      case Op::conv2d_input_gradient:
        return reference::conv2d_input_gradient<T>(convolution_shape(shape_out(0), shape_in(0)), in(0), in(1), out(0));
      case Op::conv2d_weight_gradient:
        return reference::conv2d_weight_gradient<T>(convolution_shape(shape_in(0), shape_out(0)), in(0), in(1), out(0),
                                                    out(1));
      case Op::max_pool2d:
        return reference::max_pool2d<T>(pooling_shape(shape_in(0)), in(0), out(0), bytes_out(1));
      case Op::max_pool2d_gradient:
        return reference::max_pool2d_gradient<T>(pooling_shape(shape_out(0)), bytes(0), in(1), out(0));
      case Op::cross_entropy:
        return run_cross_entropy();
      case Op::cross_entropy_gradient:
        return run_cross_entropy_gradient();
      case Op::vocabulary_sums:
        return reference::vocabulary_sums<T>(vocabulary_slice(4), in(0), in(1), ids(2), in(3),
                                             has(5) ? in(5) : std::span<const T>(), out(0));
      case Op::vocabulary_loss:
        return reference::vocabulary_loss<T>(in(0), in(1), out(0));
      case Op::vocabulary_loss_gradient:
        return reference::vocabulary_loss_gradient<T>(in(0), in(1), in(2), out(0));
      case Op::vocabulary_gradient:
        return run_vocabulary_gradient(0);
      case Op::vocabulary_gradient_add:
        run_vocabulary_gradient(1);
        return reference::add<T>(std::vector<T>(out(0).begin(), out(0).end()), in(0), out(0));
      case Op::vocabulary_sums_with_gradient:
        return run_vocabulary_sums_with_gradient();
      case Op::vocabulary_logits: {
        reference::VocabularySlice slice = vocabulary_slice(3);
        slice.tokens = shape_in(0)[0];
        return reference::vocabulary_logits_of_last<T>(slice, shape_in(0)[1], shape_out(0)[1], in(0), in(1), ids(2),
                                                       has(4) ? in(4) : std::span<const T>(), out(0));
      }
      case Op::transpose:
        return reference::transpose<T>(shape_in(0).rows(), shape_in(0).columns(), in(0), out(0));
      case Op::reshape:
      case Op::convert:  // rounding is what references do without
        return reference::copy<T>(in(0), out(0));
      case Op::places:
        return run_places();
      case Op::adam:
        return run_adam();
      case Op::lamb_moments:
        return run_lamb_moments();
      case Op::lamb_ratio:
        return run_lamb_ratio();
      case Op::lamb_weights:
        return run_lamb_weights();
      case Op::momentum:
      case Op::descent:
        return run_descent();
      case Op::adafactor_sums:
        return run_adafactor_sums();
      case Op::adafactor_factors:
        return run_adafactor_factors();
      case Op::adafactor_squares:
        return run_adafactor_squares();
      case Op::adafactor_weights:
        return run_adafactor_weights();
      case Op::stochastic_round:
        return reference::copy<T>(in(0), out(0));  // rounding is what references do without
      case Op::square_sum:
        return run_square_sum();
      case Op::clip_factor:
        return run_clip_factor();
    }
  }

  void run_matmul() {
    multiply(0, out(0));
    if (node_->inputs.size() == 3) reference::add<T>(std::vector<T>(out(0).begin(), out(0).end()), in(2), out(0));
  }

  // Here, packing keeps elements where they are.
  void run_pack() {
    for (int i = 0; i < static_cast<int>(node_->inputs.size()); ++i) std::ranges::copy(in(i), out(i).begin());
  }

  void run_matmul_add() {
    std::vector<T> product(out(0).size());
    multiply(1, product);
    reference::add<T>(in(0), product, out(0));
  }

  // The product of inputs `first` and first + 1.
  void multiply(int first, std::span<T> product) {
    const auto& how = attributes<MatmulAttributes>();
    const Shape &a = shape_in(first), &b = shape_in(first + 1);
    reference::matmul<T>({.m = how.transpose_a ? a.columns() : a.rows(),
                          .n = how.packed_columns > 0 ? how.packed_columns
                               : how.transpose_b      ? b.rows()
                                                      : b.columns(),
                          .k = how.transpose_a ? a.rows() : a.columns(),
                          .transpose_a = how.transpose_a,
                          .transpose_b = how.transpose_b},
                         in(first), in(first + 1), product);
  }

  // Of a tensor of the first input's shape. Input k, where there is one, is its segments.
  void run_dropout(const RandomPosition& at, std::int64_t site, float probability, int k, std::span<const T> x,
                   std::span<T> y) {
    if (has(k)) return reference::dropout<T>(at, site, probability, segments_in(k, shape_in(0)), x, y);
    reference::dropout<T>(at, site, probability, shape_in(0)[0], x, y);
  }

  void run_cross_entropy() {
    if (has(3)) return reference::cross_entropy<T>(in(0), segments_of_logits(3), ids(1), in(2), out(0));
    reference::cross_entropy<T>(in(0), ids(1), in(2), out(0));
  }

  void run_cross_entropy_gradient() {
    if (has(4)) {
      return reference::cross_entropy_gradient<T>(in(0), segments_of_logits(4), ids(1), in(2), in(3), out(0));
    }
    reference::cross_entropy_gradient<T>(in(0), ids(1), in(2), in(3), out(0));
  }

  void run_dropout_add_norm() {
    const auto& [probability, site, eps] = attributes<DropoutNormAttributes>();
    std::vector<T> dropped(out(0).size());
    run_dropout(position(4), site, probability, 5, in(0), dropped);
    reference::add<T>(dropped, in(1), out(0));
    reference::layer_norm<T>(eps, out(0), in(2), in(3), out(1), out(2), out(3));
  }

  void run_dropout_add_norm_gradient() {
    const auto& [probability, site, eps] = attributes<DropoutNormAttributes>();
    reference::layer_norm_gradient<T>(in(0), in(1), in(2), in(3), in(5), out(1), out(2), out(3));
    run_dropout(position(4), site, probability, 6, out(1), out(0));
  }

  // Of x, weight, labels, dsums and what follows, from input `first` on.
  void run_vocabulary_gradient(int first) {
    reference::vocabulary_gradient<T>(vocabulary_slice(first + 4, first), in(first), in(first + 1), ids(first + 2),
                                      in(first + 3), out(0), out(1));
    if (has(first + 5)) reference::add<T>(std::vector<T>(out(1).begin(), out(1).end()), in(first + 5), out(1));
  }

  void run_vocabulary_sums_with_gradient() {
    const reference::VocabularySlice whole = vocabulary_slice(6, 1);
    reference::vocabulary_sums<T>(whole, in(1), in(2), ids(3), in(4), {}, out(2));
    reference::vocabulary_loss_gradient<T>(out(2), in(4), in(5), out(3));
    reference::vocabulary_gradient<T>(whole, in(1), in(2), ids(3), out(3), out(0), out(1));
    reference::add<T>(std::vector<T>(out(0).begin(), out(0).end()), in(0), out(0));
  }

  void run_places() {
    const Segments segments = segments_in(0, shape_out(0));
    auto& numbers = values_[node_->outputs[0].id].ids;
    for (std::int64_t row = 0; row < segments.rows(); ++row) {
      for (std::int64_t token = 0; token < segments.sequence(); ++token) {
        numbers[row * segments.sequence() + token] =
            static_cast<std::int32_t>(token - segments.of_token(row, token).first);
      }
    }
  }

  void run_adam() {
    if constexpr (std::is_same_v<T, double>) {
      const auto& a = attributes<AdamAttributes>();
      const float clip = node_->inputs.size() == 6 ? number(5, 0) : 1.0f;
      reference::adam<T>({a.beta1, a.beta2, a.eps, a.weight_decay, a.decoupled},
                         {number(4, 0), number(4, 1), number(4, 2), number(4, 3)}, clip, in(0), in(1), in(2), in(3),
                         out(0), out(1), out(2));
      if (a.rounds) reference::copy<T>(out(0), out(3));
    } else {
      ensure(false, "test: adam is not differentiable");
    }
  }

  kernels::AdamSettings adam_settings() const {
    const auto& a = attributes<AdamAttributes>();
    return {a.beta1, a.beta2, a.eps, a.weight_decay, a.decoupled};
  }
  kernels::AdamStep adam_step(int k) { return {number(k, 0), number(k, 1), number(k, 2), number(k, 3)}; }

  void run_lamb_moments() {
    if constexpr (std::is_same_v<T, double>) {
      const float clip = node_->inputs.size() == 7 ? number(6, 0) : 1.0f;
      const kernels::AdamSettings settings = adam_settings();
      const kernels::AdamStep step = adam_step(5);
      reference::lamb_moments<T>(settings, step, clip, in(0), in(1), in(4), out(0), out(1));
      std::vector<T> direction;
      for (std::size_t i = 0; i < in(3).size(); ++i) {
        const T exact = reference::lamb_direction<T>(settings, step, in(3)[i], out(0)[i], out(1)[i]);
        direction.push_back(static_cast<float>(exact));  // whose square is exact
      }
      auto& sums = values_[node_->outputs[2].id].longs;
      sums = longs(2);
      std::vector<std::int64_t> weights(sums.begin(), sums.begin() + kernels::kSquareSumNumbers),
          directions(sums.begin() + kernels::kSquareSumNumbers, sums.end());
      reference::square_sum(in(3), weights);
      reference::square_sum(std::span<const T>(direction), directions);
      std::ranges::copy(weights, sums.begin());
      std::ranges::copy(directions, sums.begin() + kernels::kSquareSumNumbers);
    } else {
      ensure(false, "test: lamb_moments is not differentiable");
    }
  }

  void run_lamb_ratio() {
    if constexpr (std::is_same_v<T, double>) {
      double weights = 0, directions = 0;
      for (std::size_t i = 0; i < longs(0).size(); i += kernels::kLambNumbers) {
        weights += kernels::square_sum_value(std::span(longs(0)).subspan(i, kernels::kSquareSumNumbers));
        directions += kernels::square_sum_value(
            std::span(longs(0)).subspan(i + kernels::kSquareSumNumbers, kernels::kSquareSumNumbers));
      }
      out(0)[0] = weights == 0 || directions == 0 ? 1 : std::sqrt(weights / directions);
    } else {
      ensure(false, "test: lamb_ratio is not differentiable");
    }
  }

  void run_lamb_weights() {
    if constexpr (std::is_same_v<T, double>) {
      reference::lamb_weights<T>(adam_settings(), adam_step(3), in(4)[0], in(0), in(1), in(2), out(0));
      if (attributes<AdamAttributes>().rounds) reference::copy<T>(out(0), out(1));
    } else {
      ensure(false, "test: lamb_weights is not differentiable");
    }
  }

  void run_descent() {
    if constexpr (std::is_same_v<T, double>) {
      const auto& a = attributes<DescentAttributes>();
      const bool moves = node_->op == Op::momentum;
      const int g = moves ? 2 : 1, clip_input = g + 2;
      const float clip = static_cast<int>(node_->inputs.size()) > clip_input ? number(clip_input, 0) : 1.0f;
      const auto m = moves ? in(1) : decltype(in(1)){};
      const auto new_m = moves ? out(1) : decltype(out(0)){};
      reference::descent<T>({a.momentum, a.weight_decay, a.nesterov}, adam_step(g + 1), clip, in(0), m, in(g), out(0),
                            new_m);
      if (a.rounds) reference::copy<T>(out(0), out(moves ? 2 : 1));
    } else {
      ensure(false, "test: descent is not differentiable");
    }
  }

  float clip_of(std::size_t k) { return node_->inputs.size() > k ? number(static_cast<int>(k), 0) : 1.0f; }

  // Sums are doubles, as their bits.
  void run_adafactor_sums() {
    if constexpr (std::is_same_v<T, double>) {
      const auto rows = static_cast<std::int64_t>(longs(0).size());
      const std::vector<T> sums = reference::adafactor_sums<T>(adam_step(3), clip_of(4), rows, in(2));
      std::vector<std::int64_t>& of_rows = values_[node_->outputs[0].id].longs;
      std::vector<std::int64_t>& of_columns = values_[node_->outputs[1].id].longs;
      of_rows = longs(0);
      of_columns = longs(1);
      for (std::size_t i = 0; i < of_rows.size(); ++i) of_rows[i] = std::bit_cast<std::int64_t>(sums[i]);
      for (std::size_t j = 0; j < of_columns.size(); ++j) {
        of_columns[j] = std::bit_cast<std::int64_t>(std::bit_cast<double>(of_columns[j]) + sums[of_rows.size() + j]);
      }
    } else {
      ensure(false, "test: adafactor_sums is not differentiable");
    }
  }

  void run_adafactor_factors() {
    if constexpr (std::is_same_v<T, double>) {
      const auto& a = attributes<AdafactorAttributes>();
      const auto numbers = static_cast<std::size_t>(a.rows + a.columns);
      std::ranges::copy(in(0), out(0).begin());
      for (std::size_t first = 0; first < in(0).size(); first += numbers) {
        std::vector<T> sums;
        for (std::size_t n = 0; n < numbers; ++n) sums.push_back(std::bit_cast<double>(longs(1)[first + n]));
        const std::vector<T> factors =
            reference::adafactor_factors<T>(adam_step(2), a.rows, sums, out(0).subspan(first, numbers));
        std::ranges::copy(factors, out(1).subspan(first, numbers).begin());
      }
    } else {
      ensure(false, "test: adafactor_factors is not differentiable");
    }
  }

  std::vector<T> adafactor_update(int g, int factors, int step) {
    std::vector<T> both(in(factors).begin(), in(factors).end());
    both.insert(both.end(), in(factors + 1).begin(), in(factors + 1).end());
    return reference::adafactor_update<T>(adam_step(step), clip_of(static_cast<std::size_t>(step) + 1),
                                          static_cast<std::int64_t>(in(factors).size()), in(g), both);
  }

  void run_adafactor_squares() {
    if constexpr (std::is_same_v<T, double>) {
      std::vector<T> u = adafactor_update(1, 2, 4);
      for (T& x : u) x = static_cast<float>(x);  // whose square is exact
      auto& sum = values_[node_->outputs[0].id].longs;
      sum = longs(0);
      reference::square_sum(std::span<const T>(u), sum);
    } else {
      ensure(false, "test: adafactor_squares is not differentiable");
    }
  }

  void run_adafactor_weights() {
    if constexpr (std::is_same_v<T, double>) {
      const auto& a = attributes<AdafactorAttributes>();
      const T mean = kernels::square_sum_value(longs(4)) / static_cast<T>(a.rows * a.columns);
      reference::adafactor_weights<T>(a.weight_decay, adam_step(5), mean, adafactor_update(1, 2, 5), in(0), out(0));
      if (a.rounds) reference::copy<T>(out(0), out(1));
    } else {
      ensure(false, "test: adafactor_weights is not differentiable");
    }
  }

  void run_square_sum() {
    if constexpr (std::is_same_v<T, double>) {
      auto& sum = values_[node_->outputs[0].id].longs;
      sum = longs(0);
      reference::square_sum(in(1), sum);
    } else {
      ensure(false, "test: square_sum is not differentiable");
    }
  }

  void run_clip_factor() {
    if constexpr (std::is_same_v<T, double>) {
      double sum = kernels::square_sum_value(longs(1));
      for (std::size_t i = 0; i < longs(0).size(); i += kernels::kSquareSumNumbers) {
        sum += kernels::square_sum_value(std::span(longs(0)).subspan(i, kernels::kSquareSumNumbers));
      }
      reference::clip_factor<T>(attributes<ClipAttributes>().max_norm, number(2, 1), sum, out(0), out(1));
    } else {
      ensure(false, "test: clip_factor is not differentiable");
    }
  }

  // Of x and weight, inputs x and x + 1. Input k, where there is one, is the position.
  reference::VocabularySlice vocabulary_slice(int k, int x = 0) const {
    const std::int64_t entries = shape_in(x + 1)[0], whole = attributes<VocabularyAttributes>().whole;
    const std::int64_t first = has(k) ? PositionRecord::read(longs(k)).slice * entries : 0;
    return {.tokens = shape_in(x).rows(),
            .width = shape_in(x).columns(),
            .used = has(k) ? std::clamp<std::int64_t>(whole - first, 0, entries) : entries,
            .first = first};
  }

  kernels::ConvolutionShape convolution_shape(const Shape& x, const Shape& weight) const {
    const auto& a = attributes<ConvolutionAttributes>();
    return {.batch = x[0],
            .in_channels = x[1],
            .height = x[2],
            .width = x[3],
            .out_channels = weight[0],
            .kernel_height = weight[2],
            .kernel_width = weight[3],
            .stride = a.stride,
            .padding = a.padding};
  }
  kernels::PoolingShape pooling_shape(const Shape& x) const {
    const auto& a = attributes<PoolingAttributes>();
    return {
        .planes = x[0] * x[1], .height = x[2], .width = x[3], .window = a.window, .stride = a.stride, .relu = a.relu};
  }

  GeluKind gelu_kind() const { return attributes<GeluAttributes>().kind; }

  kernels::AttentionShape attention_shape() const {
    const auto& a = attributes<AttentionAttributes>();
    const Shape& qkv = shape_in(0);
    return {.rows = qkv[0],
            .sequence = qkv[1],
            .heads = a.heads,
            .head_size = qkv[2] / 3 / a.heads,
            .causal = a.causal,
            .dropout_probability = a.probability,
            .site = a.site};
  }

  kernels::CachedAttentionShape cached_shape() const {
    const std::int64_t heads = attributes<CachedAttentionAttributes>().heads;
    const Shape &cache = shape_in(0), &qkv = shape_in(1);
    return {.rows = qkv[0], .tokens = qkv[1], .room = cache[1], .heads = heads, .head_size = qkv[2] / 3 / heads};
  }

  template <class A>
  const A& attributes() const {
    return std::get<A>(node_->attributes);
  }
  const Shape& shape_in(int k) const { return graph_.spec(node_->inputs[k]).shape; }
  const Shape& shape_out(int k) const { return graph_.spec(node_->outputs[k]).shape; }
  std::span<const T> in(int k) const { return values_[node_->inputs[k].id].reals; }
  std::span<T> out(int k) { return values_[node_->outputs[k].id].reals; }
  bool has(int k) const { return k < static_cast<int>(node_->inputs.size()); }
  // Input k, of the rows of a tensor [rows, tokens, ...] of that shape.
  Segments segments_in(int k, const Shape& tensor) const { return {ids(k), tensor[0], tensor[1]}; }
  Segments segments_of_logits(int k) const { return segments_in(k, {shape_in(k)[0], shape_in(0)[1]}); }
  std::span<const std::int32_t> ids(int k) const { return values_[node_->inputs[k].id].ids; }
  std::span<const std::uint8_t> bytes(int k) const { return values_[node_->inputs[k].id].bytes; }
  std::span<std::uint8_t> bytes_out(int k) { return values_[node_->outputs[k].id].bytes; }
  float number(int k, int i) const { return static_cast<float>(in(k)[i]); }  // exact: it came from a float
  const std::vector<std::int64_t>& longs(int k) const { return values_[node_->inputs[k].id].longs; }
  RandomPosition position(int k) const { return PositionRecord::read(longs(k)).random; }
  // Of the table, which is a slice if there is a k-th input: its position.
  std::int64_t first_entry(int k) const {
    return has(k) ? PositionRecord::read(longs(k)).slice * attributes<EmbeddingAttributes>().entries : 0;
  }

  const Graph& graph_;
  const Node* node_ = nullptr;  // that runs
  std::vector<Elements<T>> values_;
};

}  // namespace

template <class T>
std::vector<Elements<T>> evaluate(const Graph& graph, const std::vector<Elements<T>>& inputs) {
  return ReferenceExecutor<T>(graph).run(inputs);
}

template std::vector<Elements<double>> evaluate(const Graph&, const std::vector<Elements<double>>&);
template std::vector<Elements<std::complex<double>>> evaluate(const Graph&,
                                                              const std::vector<Elements<std::complex<double>>>&);

}  // namespace phasor::test
