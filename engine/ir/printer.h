// A graph as text, a line a node:  %7: f32[4, 384, 768] = gelu(%6)
#pragma once

#include <string>

#include "engine/ir/graph.h"

namespace phasor {

std::string to_string(const Graph& graph);

// One node on a line, with all that an error of it may depend on:
// node 7, layer_norm(x %3: f32[4, 8], gamma %1.gamma: f32[8], beta %2.beta: f32[8]) eps=1e-12
std::string describe_node(const Graph& graph, std::size_t node);

}  // namespace phasor
