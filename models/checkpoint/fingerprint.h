// A hash of the whole state of a run, in which layout does not show: neither replicas and shards nor slices, phases or
// stores. Equal states have equal fingerprints on every machine.
//
// Of each saved tensor, the XXH3 of 128 bits of its elements, in order, as float32 with the lowest byte first. Then the
// same hash of these, each behind its group, name and shape, in the order of "group/name".
#pragma once

#include <string>

#include "engine/train/state.h"

namespace phasor::run {

// As 32 hexadecimal digits. Holds a piece of one tensor in memory at a time. The state does not change meanwhile.
std::string fingerprint(const Stages& stages, const ModelState& state);

// Of the state that a checkpoint holds. A file that is none, or damaged, is a UserError.
std::string fingerprint_of_checkpoint(const std::string& path);

}  // namespace phasor::run
