#include "engine/plan/node_sample.h"

#include <algorithm>
#include <fmt/ranges.h>

#include "engine/ir/builder.h"
#include "engine/plan/cost.h"

namespace phasor {

namespace {

// At least half of it is left, which is enough for a product to be cut into as many pieces (kernels/matmul.cpp).
constexpr double kFlopsOfThread = 6.25e8;
constexpr int kLeastThreads = 2;
constexpr std::int64_t kMostElements = 1 << 21;  // of a tensor
constexpr std::int64_t kLongVector = 1 << 16, kSampleVector = 1 << 22;
constexpr std::int64_t kBlock = 64;  // that kernels like sizes to be multiples of

// Halves a size into a multiple of kBlock, or tells that it cannot.
bool halve(std::int64_t& size) {
  if (size % (2 * kBlock) != 0) return false;
  size /= 2;
  return true;
}

// c[m, n] = a b with sizes that are cut evenly. `a` and `b` are what the node reads, whatever way they are stored.
struct SampledProduct {
  SampledProduct(TensorSpec& a, TensorSpec& b, MatmulAttributes& attributes, double most_flops) {
    const bool packed = attributes.packed_columns > 0;
    m = attributes.transpose_a ? a.shape.columns() : a.shape.rows();
    k = attributes.transpose_a ? a.shape.rows() : a.shape.columns();
    n = packed ? attributes.packed_columns : attributes.transpose_b ? b.shape.rows() : b.shape.columns();
    const std::int64_t b_elements = n * k;
    const auto flops = [&] { return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k); };
    while (flops() > most_flops) {
      std::int64_t* by_size[] = {&m, &n, &k};
      std::ranges::stable_sort(by_size, std::ranges::greater{}, [](const std::int64_t* size) { return *size; });
      if (std::ranges::none_of(by_size, [](std::int64_t* size) { return halve(*size); })) break;
    }
    a.shape = attributes.transpose_a ? Shape{k, m} : Shape{m, k};
    b.shape = packed ? Shape{b.elements() / b_elements * (n * k)} : attributes.transpose_b ? Shape{n, k} : Shape{k, n};
    if (packed) attributes.packed_columns = n;
  }
  std::int64_t m = 0, n = 0, k = 0;
};

// The first samples, and the first rows of these, of what an op does row by row.
Shape cut_rows(const Shape& x) {
  // Vectors are the optimizer's: they come from far, whatever their length, and so does one that no cache holds.
  if (x.rank() == 1) return x[0] < kLongVector ? x : Shape{kSampleVector};
  if (x.elements() <= kMostElements) return x;
  const std::int64_t rows = std::max<std::int64_t>(1, kMostElements / x.columns());
  if (x.rank() == 2) return {std::min(rows, x[0]), x[1]};
  return {1, std::min(rows, x[1]), x[2]};
}

Shape without_first(const Shape& x) { return x.rank() == 3 ? Shape{x[1], x[2]} : Shape{x.columns()}; }

// x, then tensors of the same shape, of the same without the first dimension, or of another, which stay.
void cut_rowwise(NodeSample& sample) {
  const Shape before = sample.inputs[0].shape, after = cut_rows(before);
  const auto cut = [&](Shape& shape) {
    if (shape == before) {
      shape = after;
    } else if (before.rank() == 3 && shape == without_first(before)) {
      shape = without_first(after);
    }
  };
  const bool has_statistics = sample.op == Op::layer_norm_gradient || sample.op == Op::dropout_add_norm_gradient;
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
    if (has_statistics && (i == 2 || i == 3)) {
      sample.inputs[i].shape = {after.rows()};  // mean, rstd
    } else {
      cut(sample.inputs[i].shape);
    }
  }
  if (sample.op == Op::reduce_sum) cut(std::get<ShapeAttributes>(sample.attributes).shape);
}

void cut_embedding(std::int64_t& entries, Shape& ids, std::int64_t columns) {
  entries = std::clamp<std::int64_t>(kMostElements / columns, 1, entries);
  ids = {std::min(ids.elements(), std::max<std::int64_t>(1, kMostElements / columns))};
}

// A sample, and heads that the work can be shared out by.
void cut_attention(NodeSample& sample, double most_flops) {
  auto& attributes = std::get<AttentionAttributes>(sample.attributes);
  const Shape qkv = sample.inputs[0].shape;
  const std::int64_t sequence = qkv[1], width = qkv[2] / attributes.heads;
  const auto flops = [&](std::int64_t heads) {
    return 2.0 * static_cast<double>(sequence * sequence) * static_cast<double>(heads * width);
  };
  const std::int64_t batch = flops(attributes.heads * qkv[0]) > most_flops ? 1 : qkv[0];
  while (flops(attributes.heads * batch) > most_flops && attributes.heads % 4 == 0) attributes.heads /= 2;
  for (TensorSpec& input : sample.inputs) {
    const Shape& shape = input.shape;
    if (input.dtype == DType::i64) continue;  // the position
    if (shape.rank() == 2) input.shape = {batch, sequence};
    if (shape.rank() == 3 && shape == Shape{qkv[0], sequence, qkv[2]}) {
      input.shape = {batch, sequence, attributes.heads * width};
    } else if (shape.rank() == 3 && shape == Shape{qkv[0], sequence, qkv[2] / 3}) {
      input.shape = {batch, sequence, attributes.heads * width / 3};
    }
  }
  if (sample.op == Op::attention_gradient) sample.inputs[4].shape = {batch, attributes.heads, sequence};
}

void cut_pack(NodeSample& sample) {
  auto& operands = std::get<PackAttributes>(sample.attributes).operands;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Shape b = sample.inputs[i].shape;
    std::int64_t rows = b.rows(), columns = b.columns();
    const std::int64_t most = kMostElements / static_cast<std::int64_t>(operands.size());
    while (rows * columns > most && (rows > columns ? halve(rows) || halve(columns) : halve(columns) || halve(rows))) {
    }
    operands[i].elements = operands[i].elements / b.elements() * (rows * columns);
    sample.inputs[i].shape = {rows, columns};
  }
}

struct AttributesText {
  std::string operator()(const MatmulAttributes& a) const {
    return fmt::format("{}{}{}", a.transpose_a ? " transpose_a" : "", a.transpose_b ? " transpose_b" : "",
                       a.packed_columns > 0 ? " packed" : "");
  }
  std::string operator()(const PackAttributes& a) const {
    std::string text;
    for (const PackedOperand& operand : a.operands) text += operand.transpose_b ? " [n, k]" : " [k, n]";
    return text;
  }
  std::string operator()(const DropoutAttributes& a) const { return a.probability > 0 ? " drops" : ""; }
  std::string operator()(const DropoutNormAttributes& a) const { return a.probability > 0 ? " drops" : ""; }
  std::string operator()(const AttentionAttributes& a) const {
    return fmt::format(" heads={}{}", a.heads, a.probability > 0 ? " drops" : "");
  }
  template <class Other>
  std::string operator()(const Other&) const {
    return {};
  }
};

std::string specs_text(const Specs& specs) {
  std::vector<std::string> texts;
  for (const TensorSpec& spec : specs) texts.push_back(to_string(spec));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace

NodeSample sample_of(const Graph& graph, const Node& node, int threads) {
  const double most_flops = kFlopsOfThread * std::max(kLeastThreads, threads);
  NodeSample sample{.op = node.op, .attributes = node.attributes, .inputs = {}};
  for (Value input : node.inputs) sample.inputs.push_back(graph.spec(input));
  Specs& in = sample.inputs;
  switch (node.op) {
    case Op::matmul: {
      const SampledProduct product(in[0], in[1], std::get<MatmulAttributes>(sample.attributes), most_flops);
      if (in.size() == 3) in[2].shape = {product.n};
      break;
    }
    case Op::matmul_add: {
      const SampledProduct product(in[1], in[2], std::get<MatmulAttributes>(sample.attributes), most_flops);
      in[0].shape = {product.m, product.n};
      break;
    }
    case Op::pack:
      cut_pack(sample);
      break;
    case Op::attention:
    case Op::attention_gradient:
      cut_attention(sample, most_flops);
      break;
    case Op::embedding: {
      std::int64_t entries = in[0].shape.rows();
      const std::int64_t columns = in[0].shape.columns();
      cut_embedding(entries, in[1].shape, columns);
      in[0].shape = {entries, columns};
      break;
    }
    case Op::embedding_gradient:
    case Op::embedding_gradient_add: {
      const std::size_t ids = in.size() - 2, dy = in.size() - 1;
      std::int64_t& entries = std::get<EmbeddingAttributes>(sample.attributes).entries;
      const std::int64_t columns = in[dy].shape.columns();
      cut_embedding(entries, in[ids].shape, columns);
      in[dy].shape = {in[ids].shape.elements(), columns};
      if (ids == 1) in[0].shape = {entries, columns};
      break;
    }
    case Op::reshape:
      in[0].shape = cut_rows({in[0].elements()});
      std::get<ShapeAttributes>(sample.attributes).shape = in[0].shape;
      break;
    case Op::cross_entropy:
    case Op::cross_entropy_gradient:
    case Op::iota:
    case Op::clip_factor:
      break;
    default:
      cut_rowwise(sample);
  }
  return sample;
}

std::string name_of(const NodeSample& sample) {
  const OpInfo& info = op_info(sample.op);
  return fmt::format("{} {} -> {}{}", info.name, specs_text(sample.inputs),
                     specs_text(info.shapes(sample.inputs, sample.attributes)),
                     std::visit(AttributesText{}, sample.attributes));
}

Graph graph_of(const NodeSample& sample) {
  Graph graph;
  std::vector<Value> inputs;
  for (const TensorSpec& input : sample.inputs) inputs.push_back(graph.add_input(input, ""));
  graph.outputs = Builder(graph).append(sample.op, inputs, sample.attributes);
  return graph;
}

double work_of(const Graph& graph, const Node& node) {
  const Cost cost = cost_of(graph, node);
  return cost.flops > 0 ? cost.flops : cost.bytes;
}

}  // namespace phasor
