// Runs a graph as the engine does, on memory of its own.
#pragma once

#include <algorithm>
#include <cstring>

#include "engine/base/parallel.h"
#include "engine/runtime/executable.h"
#include "tests/support/elements.h"

namespace phasor::test {

inline std::span<std::byte> bytes_of(Elements<float>& elements) {
  if (!elements.ids.empty()) return std::as_writable_bytes(std::span(elements.ids));
  if (!elements.longs.empty()) return std::as_writable_bytes(std::span(elements.longs));
  if (!elements.bytes.empty()) return std::as_writable_bytes(std::span(elements.bytes));
  return std::as_writable_bytes(std::span(elements.reals));
}

inline void write_elements(Elements<float>& elements, const TensorView& view) {
  if (view.spec.dtype == DType::bf16) {
    std::ranges::transform(elements.reals, view.as<bfloat16>().begin(), to_bfloat16);
  } else {
    std::memcpy(view.data, bytes_of(elements).data(), static_cast<std::size_t>(view.spec.bytes()));
  }
}

inline Elements<float> read_elements(const TensorView& view) {
  Elements<float> elements(view.spec);
  if (view.spec.dtype == DType::bf16) {
    std::ranges::transform(view.as<bfloat16>(), elements.reals.begin(), [](bfloat16 x) { return to_float(x); });
  } else if (view.spec.bytes() > 0) {
    std::memcpy(bytes_of(elements).data(), view.data, static_cast<std::size_t>(view.spec.bytes()));
  }
  return elements;
}

// The graph's outputs for its inputs, both in order, on a team of `threads`. The workspace and the outputs hold NaNs
// before the run: what is read unwritten shows.
inline std::vector<Elements<float>> run_graph(const Graph& graph, std::vector<Elements<float>> inputs, int threads = 1,
                                              Strategy strategy = Strategy::best) {
  Executable executable(graph, threads, strategy);
  std::vector<Tensor> tensors;
  for (Value value : graph.inputs) tensors.emplace_back(graph.spec(value));
  for (Value value : graph.outputs) tensors.emplace_back(graph.spec(value));
  const AlignedBytes workspace = allocate_zeroed(executable.workspace_bytes());
  if (workspace) std::memset(workspace.get(), 0xFF, static_cast<std::size_t>(executable.workspace_bytes()));

  std::vector<std::byte*> places;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorView view = tensors[i].view();
    places.push_back(static_cast<std::byte*>(view.data));
    const auto size = static_cast<std::size_t>(view.spec.bytes());
    if (size == 0) continue;
    if (i < inputs.size()) {
      write_elements(inputs[i], view);
    } else {
      std::memset(view.data, 0xFF, size);
    }
  }
  set_threads(threads);
  executable.run(places, workspace.get());
  set_threads(1);

  std::vector<Elements<float>> outputs;
  for (std::size_t i = inputs.size(); i < tensors.size(); ++i) outputs.push_back(read_elements(tensors[i].view()));
  return outputs;
}

}  // namespace phasor::test
