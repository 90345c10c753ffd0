// Puts one graph's nodes behind another's: how stages become one model.
#pragma once

#include <span>
#include <vector>

#include "engine/ir/graph.h"

namespace phasor {

// Appends the nodes of `source` to `target`. `inputs` gives, for each input of `source`, the value of `target` that
// takes its place. Returns for each value of `source` its counterpart in `target`.
std::vector<Value> append_graph(Graph& target, const Graph& source, std::span<const Value> inputs);

}  // namespace phasor
