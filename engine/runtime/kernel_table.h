// One row for each op: the kernel that runs a node of it, and the scratch memory that the kernel wants.
#pragma once

#include <span>

#include "engine/ir/graph.h"

namespace phasor {

struct KernelArguments {
  const Node& node;
  std::span<const TensorView> inputs, outputs;
  std::span<float> scratch;
};

using Kernel = void (*)(const KernelArguments&);

// Elements of float scratch that a node wants when it runs on `threads` threads.
using ScratchRule = std::int64_t (*)(const Graph& graph, const Node& node, int threads);

struct KernelInfo {
  Kernel run = nullptr;
  ScratchRule scratch = nullptr;  // null: none
};

const KernelInfo& kernel_info(Op op);

}  // namespace phasor
