// Whether a program computes the same from slots that lie in their rows as from copies of these.
#pragma once

#include <string>
#include <vector>

#include "engine/program/program.h"

namespace phasor {

struct MappingConflict {
  std::int32_t slot = -1;  // a mapped one
  std::string what;        // why it may not be: "phase 'forward layer' instance 1, step 7 issues a transfer of it"
};

// What keeps mapped slots of a program that is sound without them from lying in their rows. There is nothing where
// - all transfers of a buffer are of mapped slots, or none is, and mapped ones are not issued;
// - such a slot is written by loads, which find its row, and by calls, which make the whole of a value or update one in
//   its row, and are followed by the store that names that row, for the same micro-batch, before a message comes;
// - from then on when a value is made or updated nothing else uses its row until the store;
// - afterwards the row keeps the value for as long as a step reads it from the slot.
// Rows are told apart, not the parts of one that slices load and store.
std::vector<MappingConflict> find_mapping_conflicts(const Program& program);

}  // namespace phasor
