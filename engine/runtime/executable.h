// A graph made ready to run: order, offsets within a workspace, chosen kernels.
#pragma once

#include <span>
#include <vector>

#include "engine/ir/graph.h"
#include "engine/plan/memory_plan.h"
#include "engine/runtime/kernel_table.h"
#include "engine/runtime/node_observer.h"

namespace phasor {

class Executable {
 public:
  // `threads` is the team that will run it, `plan` what plan_workspace makes of both. Keeps a copy of the graph, whose
  // outputs are distinct and none an input.
  Executable(Graph graph, int threads, MemoryPlan plan);
  // Makes the plan itself.
  explicit Executable(Graph graph, int threads, Strategy strategy = Strategy::best);

  const Graph& graph() const { return graph_; }
  // Room for intermediates and kernels' scratch.
  std::int64_t workspace_bytes() const { return plan_.peak_bytes; }
  std::int64_t workspace_lower_bound_bytes() const { return plan_.lower_bound_bytes; }

  // Computes the outputs from the inputs on the calling thread and its team. `tensors` are the places of the graph's
  // inputs, then of its outputs: their addresses; sizes follow from the graph. `workspace` has workspace_bytes() and is
  // aligned. Not for two threads at once: each replica has its own. An InternalError of a kernel names its node.
  // `observer` may be null: nobody looks on.
  void run(std::span<std::byte* const> tensors, std::byte* workspace, NodeObserver* observer = nullptr);

 private:
  Graph graph_;
  std::vector<int> block_of_value_, scratch_of_node_;
  std::vector<std::int64_t> scratch_bytes_;          // of each node
  std::vector<std::unique_ptr<Prepared>> prepared_;  // of each node
  MemoryPlan plan_;
  std::vector<TensorView> views_;  // of each value, for the current run
  std::vector<TensorView> inputs_, outputs_;
};

// The workspace that an Executable of the graph has.
MemoryPlan plan_workspace(const Graph& graph, int threads, Strategy strategy = Strategy::best);

// Proves that such a plan is sound; throws InternalError (plan/graph_memory_checker.h).
void check_workspace(const Graph& graph, int threads, const MemoryPlan& plan);

}  // namespace phasor
