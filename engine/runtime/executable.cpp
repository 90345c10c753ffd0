#include "engine/runtime/executable.h"

#include <algorithm>

#include "engine/ir/printer.h"
#include "engine/plan/graph_memory.h"
#include "engine/plan/graph_memory_checker.h"

namespace phasor {

namespace {

std::vector<std::int64_t> scratch_bytes(const Graph& graph, int threads) {
  std::vector<std::int64_t> bytes;
  for (const Node& node : graph.nodes) {
    const ScratchRule rule = kernel_info(node.op).scratch;
    bytes.push_back(rule ? rule(graph, node, threads) : 0);
  }
  return bytes;
}

// What `action` does for a node. An InternalError then names the node.
template <class Action>
decltype(auto) naming_node(const Graph& graph, std::size_t node, Action action) {
  try {
    return action();
  } catch (const InternalError& error) {
    throw InternalError(fmt::format("{}: {}", describe_node(graph, node), error.what()));
  }
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

}  // namespace

Executable::Executable(Graph graph, int threads, MemoryPlan plan)
    : graph_(std::move(graph)), scratch_bytes_(scratch_bytes(graph_, threads)), plan_(std::move(plan)) {
  ensure_distinct(graph_);
  GraphMemory memory = graph_memory(graph_, scratch_bytes_);
  ensure(plan_.offsets.size() == memory.request.bytes.size(), "executable: a plan of {} blocks for a graph of {}",
         plan_.offsets.size(), memory.request.bytes.size());
  block_of_value_ = std::move(memory.block_of_value);
  scratch_of_node_ = std::move(memory.scratch_of_node);
  for (const ValueInfo& value : graph_.values) views_.push_back({value.spec, nullptr});
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    const PrepareRule rule = kernel_info(node.op).prepare;
    prepared_.push_back(rule ? naming_node(graph_, i, [&] { return rule(graph_, node, threads); }) : nullptr);
  }
}

Executable::Executable(Graph graph, int threads, Strategy strategy)
    : Executable(graph, threads, plan_workspace(graph, threads, strategy)) {}

void Executable::run(std::span<std::byte* const> tensors, std::byte* workspace, NodeObserver* observer) {
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
  if (observer != nullptr) {
    inputs_.clear();
    for (Value input : graph_.inputs) inputs_.push_back(views_[input.id]);
    observer->begin(graph_, inputs_);
  }
  for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
    const Node& node = graph_.nodes[i];
    inputs_.clear();
    outputs_.clear();
    for (Value input : node.inputs) inputs_.push_back(views_[input.id]);
    for (Value output : node.outputs) outputs_.push_back(views_[output.id]);
    std::byte* scratch = nullptr;
    if (scratch_of_node_[i] != GraphMemory::kExternal) scratch = workspace + plan_.offsets[scratch_of_node_[i]];
    const KernelArguments arguments{.node = node,
                                    .inputs = inputs_,
                                    .outputs = outputs_,
                                    .prepared = prepared_[i].get(),
                                    .scratch = {scratch, static_cast<std::size_t>(scratch_bytes_[i])}};
    naming_node(graph_, i, [&] { kernel_info(node.op).run(arguments); });
    if (observer != nullptr) observer->made(graph_, node, outputs_);
  }
}

MemoryPlan plan_workspace(const Graph& graph, int threads, Strategy strategy) {
  return plan_memory(graph_memory(graph, scratch_bytes(graph, threads)).request, strategy);
}

void check_workspace(const Graph& graph, int threads, const MemoryPlan& plan) {
  check_graph_memory(graph, graph_memory(graph, scratch_bytes(graph, threads)), plan);
}

}  // namespace phasor
