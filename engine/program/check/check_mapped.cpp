#include "engine/program/check/checks.h"
#include "engine/program/mapping/mapping_conflicts.h"

namespace phasor {

void check_mapped(const Program& program) {
  const std::vector<MappingConflict> conflicts = find_mapping_conflicts(program);
  if (conflicts.empty()) return;
  const auto& [slot, what] = conflicts.front();
  throw InternalError(fmt::format("program: slot '{}' lies in its row, but {}", program.slots[slot], what));
}

}  // namespace phasor
