// The graphs that a unit runs in training and inference, derived from its forward graph.
#pragma once

#include <limits>
#include <vector>

#include "engine/lower/units/options.h"
#include "engine/lower/units/unit.h"

namespace phasor {

// What an input or output of a derived graph is to the unit; `index` says which where there are several.
enum class Role : std::uint8_t {
  x,            // activation in
  y,            // activation out
  partial,      // y so far
  dx,           // gradient of x; what comes in, of a sliced unit, is what later slices have added up
  dy,           // gradient of y
  batch,        // index: into Unit::batch
  position,     // index: into Unit::positions
  loss_scale,   // the gradient of the loss
  loss,         //
  result,       // index: into Unit::results
  weight,       // index: into Unit::variables
  packed,       // index: of the packed weight
  accumulator,  // index: into Unit::variables; the gradient so far, updated in place
  kept,         // index: of the kept activation
  carried,      // index: into Unit::carried; what comes in and, updated in place, what goes on
};

struct Port {
  Role role{};
  int index = 0;
};

struct UnitGraph {
  Graph graph;
  std::vector<Port> inputs, outputs;  // of the graph, in order

  // What runs once for all micro-batches: from weights to their packed forms. Without nodes where nothing is packed.
  Graph packing;
  std::vector<int> packed_variables;  // of packing's inputs, in order: into Unit::variables

  std::vector<int> weights() const;  // the variables that one of the graphs reads, ascending
};

struct TrainingGraphs {
  UnitGraph forward;   // x -> y, kept; empty for a unit with a loss, whose forward part runs with its gradient
  UnitGraph gradient;  // x, dy, kept, accumulators -> dx, accumulators, loss
  std::vector<TensorSpec> kept;
};

// In a graph of several stage instances, those from `first_kept` on keep their activations even with Recompute::layer.
inline constexpr int kNoStage = std::numeric_limits<int>::max();
TrainingGraphs training_graphs(const Unit& unit, Recompute recompute, int first_kept = kNoStage);

// x -> y, results: no gradient will follow.
UnitGraph inference_graph(const Unit& unit);

}  // namespace phasor
