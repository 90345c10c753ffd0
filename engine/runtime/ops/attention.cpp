#include "engine/kernels/attention/attention.h"

#include "engine/kernels/attention/attention_cached.h"
#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

namespace {

template <Op op>
const TensorSpec& qkv_of(const Graph& graph, const Node& node) {
  return graph.spec(inputs_of<op>(node)["qkv"]);
}

template <Op op>
kernels::AttentionShape attention_shape(const Graph& graph, const Node& node) {
  const auto& options = std::get<AttentionAttributes>(node.attributes);
  const Shape& qkv = qkv_of<op>(graph, node).shape;
  return {.rows = qkv[0],
          .sequence = qkv[1],
          .heads = options.heads,
          .head_size = qkv[2] / (3 * options.heads),
          .causal = options.causal,
          .longest = options.longest,
          .dropout_probability = options.probability,
          .site = options.site,
          .products = backend_name(options.products)};
}

kernels::CachedAttentionShape cached_shape(const Shape& qkv, const Shape& cache, const Node& node) {
  const std::int64_t heads = std::get<CachedAttentionAttributes>(node.attributes).heads;
  return {.rows = qkv[0], .tokens = qkv[1], .room = cache[1], .heads = heads, .head_size = qkv[2] / (3 * heads)};
}

}  // namespace

std::int64_t attention_scratch(const Graph& graph, const Node& node, int threads) {
  constexpr Op kOp = Op::attention;
  return with_real(qkv_of<kOp>(graph, node).dtype, [&]<class T>() {
    return kernels::attention_scratch_bytes<T>(attention_shape<kOp>(graph, node), threads);
  });
}
std::int64_t attention_gradient_scratch(const Graph& graph, const Node& node, int threads) {
  constexpr Op kOp = Op::attention_gradient;
  return with_real(qkv_of<kOp>(graph, node).dtype, [&]<class T>() {
    return kernels::attention_gradient_scratch_bytes<T>(attention_shape<kOp>(graph, node), threads);
  });
}

std::unique_ptr<Prepared> prepare_attention(const Graph& graph, const Node& node, int threads) {
  constexpr Op kOp = Op::attention;
  return with_real(qkv_of<kOp>(graph, node).dtype, [&]<class T>() -> std::unique_ptr<Prepared> {
    return std::make_unique<PreparedKernel<kernels::Attention<T>>>(attention_shape<kOp>(graph, node), threads);
  });
}
std::unique_ptr<Prepared> prepare_attention_gradient(const Graph& graph, const Node& node, int threads) {
  constexpr Op kOp = Op::attention_gradient;
  return with_real(qkv_of<kOp>(graph, node).dtype, [&]<class T>() -> std::unique_ptr<Prepared> {
    return std::make_unique<PreparedKernel<kernels::AttentionGradient<T>>>(attention_shape<kOp>(graph, node), threads);
  });
}

void attention(const KernelArguments& arguments) {
  const auto in = inputs<Op::attention>(arguments);
  const auto out = outputs<Op::attention>(arguments);
  with_real(in["qkv"].spec.dtype, [&]<class T>() {
    prepared_as<kernels::Attention<T>>(arguments).run(
        read_position(in["position"]), read<T>(in["qkv"]), read_segments(in["segments"], in["qkv"].spec.shape),
        write<T>(out["out"]), write_float(out["log_sum_exp"]), arguments.scratch);
  });
}

void attention_gradient(const KernelArguments& arguments) {
  const auto in = inputs<Op::attention_gradient>(arguments);
  const auto out = outputs<Op::attention_gradient>(arguments);
  with_real(in["qkv"].spec.dtype, [&]<class T>() {
    prepared_as<kernels::AttentionGradient<T>>(arguments).run(
        read_position(in["position"]), read<T>(in["qkv"]), read_segments(in["segments"], in["qkv"].spec.shape),
        read<T>(in["out"]), read_float(in["log_sum_exp"]), read<T>(in["dout"]), write<T>(out["dqkv"]),
        arguments.scratch);
  });
}

std::int64_t attention_cached_scratch(const Graph& graph, const Node& node, int threads) {
  const auto in = inputs_of<Op::attention_cached>(node);
  return kernels::attention_cached_scratch_bytes(
      cached_shape(graph.spec(in["qkv"]).shape, graph.spec(in["cache"]).shape, node), threads);
}

// The cache so far is moved to where it goes on, if that is another place.
void attention_cached(const KernelArguments& arguments) {
  const auto in = inputs<Op::attention_cached>(arguments);
  const auto out = outputs<Op::attention_cached>(arguments);
  const auto shape = cached_shape(in["qkv"].spec.shape, in["cache"].spec.shape, arguments.node);
  with_real(in["qkv"].spec.dtype, [&]<class T>() {
    if (in["cache"].data != out["cache"].data) std::ranges::copy(read<T>(in["cache"]), write<T>(out["cache"]).begin());
    kernels::attention_cached<T>(shape, read<T>(in["qkv"]), read_ids(in["places"]), read_ids(in["last"]),
                                 write<T>(out["cache"]), write<T>(out["out"]), arguments.scratch);
  });
}

}  // namespace phasor::adapters
