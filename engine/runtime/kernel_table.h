// One row for each op: the kernel that runs a node of it, and what the kernel wants beforehand.
#pragma once

#include <memory>
#include <span>

#include "engine/ir/graph.h"
#include "engine/ir/required.h"

namespace phasor {

// What a kernel has made ready for one node, such as primitives of a library.
struct Prepared {
  virtual ~Prepared() = default;
};

struct KernelArguments {
  const Node& node;
  std::span<const TensorView> inputs, outputs;
  const Prepared* prepared;  // what the kernel's PrepareRule returned; null without one
  std::span<std::byte> scratch;
};

using Kernel = void (*)(const KernelArguments&);

// Bytes of scratch memory that a node wants when it runs on `threads` threads. Cheap: planning asks it.
using ScratchRule = std::int64_t (*)(const Graph& graph, const Node& node, int threads);

// May take a while: code is generated here.
using PrepareRule = std::unique_ptr<Prepared> (*)(const Graph& graph, const Node& node, int threads);

struct KernelInfo {
  Op op{};
  Required<Kernel> run;
  ScratchRule scratch = nullptr;  // null: none
  PrepareRule prepare = nullptr;  // null: nothing
};

const KernelInfo& kernel_info(Op op);

}  // namespace phasor
