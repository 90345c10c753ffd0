// Which parts of a model the devices of a pipeline have.
#pragma once

#include <span>
#include <vector>

#include "engine/ir/stage.h"
#include "engine/lower/units/lowered_unit.h"

namespace phasor {

// So many parts, in order, of whole stage instances, and of a sliced stage all slices or none: those that the options
// give or, where they give none, those of which the most costly costs least. Throws UserError where there are fewer
// instances than parts, or the given parts are none of the model's.
std::vector<InstanceRange> split_model(const Stages& stages, const ExecutionOptions& execution);

// How many parts, of all devices.
int count_parts(const PipelineOptions& options);

// Instances [first, end) of a unit.
struct UnitRun {
  int unit = 0;
  int first = 0, end = 0;
};

// What a device runs of a model in a row.
struct Part {
  int device = 0;
  std::vector<UnitRun> runs;  // in order
};

// Part k is on device k modulo the devices.
std::vector<Part> place_parts(std::span<const LoweredUnit> units, std::span<const InstanceRange> ranges,
                              const ExecutionOptions& execution);

// The device of a unit's instance.
int device_of(std::span<const Part> parts, int unit, int instance);

}  // namespace phasor
