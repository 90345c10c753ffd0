// A unit as its phases see it: the graphs that each instance runs, and where its variables live.
#pragma once

#include <array>
#include <fmt/format.h>
#include <span>

#include "engine/lower/units/options.h"
#include "engine/lower/units/placement.h"
#include "engine/lower/units/training_graphs.h"
#include "engine/lower/units/update_graphs.h"

namespace phasor {

// The gradient of a tied variable: in the same unit that of a variable, else in a buffer, in the rows of the owner.
struct TiedGradient {
  int unit = 0;  // the tied variable's
  int variable = -1;
  BufferSpec buffer;
};

struct PlacedVariable {
  std::string name;  // within the unit
  Placement placement;
  UpdateDraw draw;
  bool decays = false;
  int row = 0;                                  // of instance 0, in all of its buffers
  std::array<BufferSpec, kStateKinds> buffers;  // by StateKind

  // Of a tied variable (engine/ir/stage.h): it has no state but its gradient; its buffers are else its owner's. `owner`
  // is that one's number where it is in the same unit, else -1.
  bool tied = false;
  int owner = -1;
  int owner_unit = -1, owner_variable = -1;  // likewise, wherever it is
  // Of an owner: where the gradients lie that join its own.
  std::vector<TiedGradient> joining;

  std::array<bool, kStateKinds> kept{};  // by StateKind
  bool frozen = false;                   // it has no gradient

  bool has(StateKind kind) const { return kept[static_cast<std::size_t>(kind)]; }
  // Whether a model that is resident holds it: of what is frozen, what is computed with.
  bool is_on_device(StateKind kind) const { return has(kind) && (!frozen || kind == placement.computed_state()); }
  const BufferSpec& buffer(StateKind kind) const { return buffers[static_cast<std::size_t>(kind)]; }
};

// The activations that some instances keep for their gradients.
struct KeptActivations {
  std::vector<TensorSpec> specs;
  int first_instance = 0, instances = 0;
};

struct LoweredUnit {
  Unit unit;
  std::vector<PlacedVariable> variables;  // in the order of the unit's
  // Instances from `first_keeping` on keep their activations, the others make them again.
  TrainingGraphs recomputing, keeping;
  int first_keeping = 0;

  // Whether it has variables with a state of their own.
  bool updates() const;
  int count() const { return static_cast<int>(variables.size()); }
  const TrainingGraphs& graphs(int instance) const { return instance < first_keeping ? recomputing : keeping; }
  KeptActivations kept() const { return {keeping.kept, first_keeping, unit.instances - first_keeping}; }
  // Behind the names of what both have, where there are both.
  const char* variant(int instance) const { return first_keeping > 0 && instance >= first_keeping ? ".keeping" : ""; }
  // "layer.forward.keeping".
  std::string graph_name(const char* kind, int instance) const {
    return fmt::format("{}.{}{}", unit.name, kind, variant(instance));
  }
};

// The stages' units or, where everything is resident, that of each part of the model, still without graphs.
std::vector<LoweredUnit> place_units(const Stages& stages, std::span<const InstanceRange> parts,
                                     const OptimizerOptions& optimizer, const ExecutionOptions& execution);

// Makes the unit's graphs for training. Stage instances from `first_kept` on, counted over the model, keep their
// activations.
void differentiate(LoweredUnit& unit, const ExecutionOptions& execution, int first_kept);

// Says in all of its graphs by whose arithmetic matrices are multiplied.
void choose_products(LoweredUnit& unit, Products products);

// Has weights packed beforehand in all of its graphs, all or only those whose bits depend on it (pack_weights.h).
void pack_weights(LoweredUnit& unit, bool all);

// Calls visit(graph) for what the unit runs or, before it has such graphs, for what it computes.
template <class Visit>
void for_each_graph(const LoweredUnit& unit, Visit visit) {
  bool has_graphs = false;
  for (const TrainingGraphs* graphs : {&unit.recomputing, &unit.keeping}) {
    for (const UnitGraph* part : {&graphs->forward, &graphs->gradient}) {
      for (const Graph* graph : {&part->packing, &part->graph}) {
        if (graph->nodes.empty()) continue;
        has_graphs = true;
        visit(*graph);
      }
    }
  }
  if (!has_graphs) visit(unit.unit.graph);
}

}  // namespace phasor
