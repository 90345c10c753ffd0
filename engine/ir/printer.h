// A graph as text, a line a node:  %7: f32[4, 384, 768] = gelu(%6)
#pragma once

#include <string>

#include "engine/ir/graph.h"

namespace phasor {

std::string to_string(const Graph& graph);

}  // namespace phasor
