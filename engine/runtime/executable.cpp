#include "engine/runtime/executable.h"

#include <algorithm>

#include "engine/plan/graph_memory.h"

namespace phasor {

namespace {

std::vector<std::int64_t> scratch_elements(const Graph& graph, int threads) {
  std::vector<std::int64_t> elements;
  for (const Node& node : graph.nodes) {
    const ScratchRule rule = kernel_info(node.op).scratch;
    elements.push_back(rule ? rule(graph, node, threads) : 0);
  }
  return elements;
}

// Each output is written to a place of its own, by a node.
void ensure_distinct(const Graph& graph) {
  std::vector<Value> outputs = graph.outputs;
  std::ranges::sort(outputs);
  ensure(std::ranges::adjacent_find(outputs) == outputs.end(), "executable: an output of the graph is listed twice");
  for (Value output : outputs) {
    ensure(graph[output].producer >= 0, "executable: output '{}' of the graph is its input", graph[output].name);
  }
}

GraphMemory memory_of(const Graph& graph, const std::vector<std::int64_t>& scratch) {
  std::vector<std::int64_t> bytes;
  for (std::int64_t elements : scratch) bytes.push_back(elements * static_cast<std::int64_t>(sizeof(float)));
  return graph_memory(graph, bytes);
}

}  // namespace

Executable::Executable(Graph graph, int threads, Strategy strategy)
    : graph_(std::move(graph)), scratch_elements_(scratch_elements(graph_, threads)) {
  ensure_distinct(graph_);
  GraphMemory memory = memory_of(graph_, scratch_elements_);
  plan_ = plan_memory(memory.request, strategy);
  block_of_value_ = std::move(memory.block_of_value);
  scratch_of_node_ = std::move(memory.scratch_of_node);
  for (const ValueInfo& value : graph_.values) views_.push_back({value.spec, nullptr});
}

void Executable::run(std::span<std::byte* const> tensors, std::byte* workspace) {
  ensure(tensors.size() == graph_.inputs.size() + graph_.outputs.size(),
         "executable: {} tensors for {} inputs and {} outputs", tensors.size(), graph_.inputs.size(),
         graph_.outputs.size());
  for (std::size_t id = 0; id < views_.size(); ++id) {
    const int block = block_of_value_[id];
    if (block != GraphMemory::kExternal) views_[id].data = workspace + plan_.offsets[block];
  }
  for (std::size_t i = 0; i < graph_.inputs.size(); ++i) views_[graph_.inputs[i].id].data = tensors[i];
  for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
    views_[graph_.outputs[i].id].data = tensors[graph_.inputs.size() + i];
  }
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    inputs_.clear();
    outputs_.clear();
    for (Value input : node.inputs) inputs_.push_back(views_[input.id]);
    for (Value output : node.outputs) outputs_.push_back(views_[output.id]);
    float* scratch = nullptr;
    if (scratch_of_node_[i] != GraphMemory::kExternal) {
      scratch = reinterpret_cast<float*>(workspace + plan_.offsets[scratch_of_node_[i]]);
    }
    kernel_info(node.op).run({.node = node,
                              .inputs = inputs_,
                              .outputs = outputs_,
                              .scratch = {scratch, static_cast<std::size_t>(scratch_elements_[i])}});
  }
}

MemoryPlan plan_workspace(const Graph& graph, int threads, Strategy strategy) {
  return plan_memory(memory_of(graph, scratch_elements(graph, threads)).request, strategy);
}

}  // namespace phasor
