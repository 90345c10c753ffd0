// Calls a graph of updates on slices of a phase's variables: what it loads before, and what it stores behind.
#pragma once

#include <span>

#include "engine/lower/phase_builder.h"
#include "engine/lower/units/update_graphs.h"

namespace phasor {

class UpdateSlices {
 public:
  // `present` lies on the device; the rest of the state passes through it.
  UpdateSlices(PhaseBuilder& phase, const DeviceState& present) : phase_(phase), present_(present) {}

  // Which graph, of what it reads and writes of each slice, and what else. A graph's inputs and outputs stand in the
  // order of the fields.
  struct Pass {
    const char* name;  // of its graphs
    Graph (*graph)(const std::vector<UpdateSlice>& slices, const OptimizerOptions& options);
    std::span<const StateKind> reads;
    SlotId (*beside)(PhaseBuilder& phase, int variable) = nullptr;  // a slot of the variable that is no state: read
    bool clips = true, draws = true;
    std::span<const StateKind> writes;
    bool writes_beside = false;  // what lies beside is written, too
    bool goes_on = false;        // an earlier pass has left whole variables on the device
  };

  UpdateSlice slice_of(int variable, std::int64_t first, std::int64_t elements) const;
  // Of those variables: small ones together, and large ones in slices.
  void run(const Pass& pass, const std::vector<int>& variables);

 private:
  // Where a slice's state of one kind lies during its update.
  struct Place {
    SlotId slot;
    std::int64_t offset = 0;  // in bytes, within the slot
    bool passes = false;      // is loaded before and stored after the update
  };
  Place place_of(StateKind kind, const UpdateSlice& slice);
  Row row_of(StateKind kind, const UpdateSlice& slice);
  void add_numbers(const Pass& pass, const std::vector<UpdateSlice>& slices, std::vector<SlotId>& slots);
  void call(const Pass& pass, const std::string& name, const std::vector<UpdateSlice>& slices);

  PhaseBuilder& phase_;
  const DeviceState& present_;
};

}  // namespace phasor
