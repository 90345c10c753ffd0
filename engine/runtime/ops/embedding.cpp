#include "engine/kernels/embedding.h"

#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

namespace {

const EmbeddingAttributes& attributes_of(const KernelArguments& arguments) {
  return std::get<EmbeddingAttributes>(arguments.node.attributes);
}

// The part of the whole table that the node's table is. A gradient of a whole table has no position.
template <Op op>
kernels::TableSlice slice_of(const KernelArguments& arguments) {
  const EmbeddingAttributes& attributes = attributes_of(arguments);
  if (attributes.whole == 0) return {};
  const auto position = PositionRecord::read(read<std::int64_t>(inputs<op>(arguments)["position"]));
  return {.first = position.slice * attributes.entries, .whole = attributes.whole};
}

}  // namespace

void embedding(const KernelArguments& arguments) {
  const auto in = inputs<Op::embedding>(arguments);
  const auto out = outputs<Op::embedding>(arguments);
  const TensorView& table = in["table"];
  with_real(table.spec.dtype, [&]<class T>() {
    kernels::embedding<T>(table.spec.shape.columns(), read<T>(table), read_ids(in["ids"]), write<T>(out["y"]));
  });
}

// What was there so far is moved to where the result goes, if that is another place.
void embedding_slice(const KernelArguments& arguments) {
  constexpr Op kOp = Op::embedding_slice;
  const auto in = inputs<kOp>(arguments);
  const TensorView &x = in["x"], &table = in["table"], &y = outputs<kOp>(arguments)["y"];
  with_real(table.spec.dtype, [&]<class T>() {
    if (x.data != y.data) std::ranges::copy(read<T>(x), write<T>(y).begin());
    kernels::embedding_slice<T>(table.spec.shape.columns(), slice_of<kOp>(arguments), read<T>(table),
                                read_ids(in["ids"]), write<T>(y));
  });
}

void embedding_gradient(const KernelArguments& arguments) {
  constexpr Op kOp = Op::embedding_gradient;
  const auto in = inputs<kOp>(arguments);
  const TensorView &dy = in["dy"], &dtable = outputs<kOp>(arguments)["dtable"];
  with_real(dy.spec.dtype, [&]<class T>() {
    kernels::embedding_gradient<T>(dtable.spec.shape.columns(), attributes_of(arguments).padding, read_ids(in["ids"]),
                                   read<T>(dy), write_float(dtable), slice_of<kOp>(arguments));
  });
}

void embedding_gradient_add(const KernelArguments& arguments) {
  constexpr Op kOp = Op::embedding_gradient_add;
  const auto in = inputs<kOp>(arguments);
  const TensorView &sum = in["sum"], &dy = in["dy"], &dtable = outputs<kOp>(arguments)["dtable"];
  if (sum.data != dtable.data) std::ranges::copy(read_float(sum), write_float(dtable).begin());
  with_real(dy.spec.dtype, [&]<class T>() {
    kernels::embedding_gradient_add<T>(dtable.spec.shape.columns(), attributes_of(arguments).padding,
                                       read_ids(in["ids"]), read<T>(dy), write_float(dtable),
                                       scratch_as<float>(arguments), slice_of<kOp>(arguments));
  });
}

std::int64_t embedding_gradient_add_scratch(const Graph& graph, const Node& node, int) {
  const TensorSpec& ids = graph.spec(inputs_of<Op::embedding_gradient_add>(node)["ids"]);
  return kernels::embedding_gradient_add_scratch(ids.elements()) * size_of(DType::f32);
}

}  // namespace phasor::adapters
