#include "engine/kernels/embedding.h"

#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

namespace {

const EmbeddingAttributes& attributes_of(const KernelArguments& arguments) {
  return std::get<EmbeddingAttributes>(arguments.node.attributes);
}

// Of the table; `position` is the number of the input that tells which slice, where it is one.
kernels::TableSlice slice_of(const KernelArguments& arguments, std::size_t position) {
  const EmbeddingAttributes& attributes = attributes_of(arguments);
  if (attributes.whole == 0) return {};
  return {.first = read_slice(arguments.inputs[position]) * attributes.entries, .whole = attributes.whole};
}

}  // namespace

void embedding(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  with_real(in[0].spec.dtype, [&]<class T>() {
    kernels::embedding<T>(in[0].spec.shape.columns(), read<T>(in[0]), read_ids(in[1]), write<T>(arguments.outputs[0]));
  });
}

// What was there so far is moved to where the result goes, if that is another place.
void embedding_slice(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const TensorView& out = arguments.outputs[0];
  with_real(in[0].spec.dtype, [&]<class T>() {
    if (in[0].data != out.data) std::ranges::copy(read<T>(in[0]), write<T>(out).begin());
    kernels::embedding_slice<T>(in[1].spec.shape.columns(), slice_of(arguments, 3), read<T>(in[1]), read_ids(in[2]),
                                write<T>(out));
  });
}

void embedding_gradient(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const TensorView& out = arguments.outputs[0];
  with_real(in[1].spec.dtype, [&]<class T>() {
    kernels::embedding_gradient<T>(out.spec.shape.columns(), attributes_of(arguments).padding, read_ids(in[0]),
                                   read<T>(in[1]), write_float(out), slice_of(arguments, 2));
  });
}

void embedding_gradient_add(const KernelArguments& arguments) {
  const auto& in = arguments.inputs;
  const TensorView& out = arguments.outputs[0];
  if (in[0].data != out.data) std::ranges::copy(read_float(in[0]), write_float(out).begin());
  with_real(in[2].spec.dtype, [&]<class T>() {
    kernels::embedding_gradient_add<T>(out.spec.shape.columns(), attributes_of(arguments).padding, read_ids(in[1]),
                                       read<T>(in[2]), write_float(out), scratch_as<float>(arguments),
                                       slice_of(arguments, 3));
  });
}

std::int64_t embedding_gradient_add_scratch(const Graph& graph, const Node& node, int) {
  return kernels::embedding_gradient_add_scratch(graph.spec(node.inputs[1]).elements()) * size_of(DType::f32);
}

}  // namespace phasor::adapters
