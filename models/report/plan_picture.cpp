#include "models/report/plan_picture.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/program/memory/occupants.h"
#include "io/files/atomic_file.h"

namespace phasor::run {

io::ArenaPicture picture_of(const Program& program, const ProgramPlan& plan, std::span<const Occupant> occupants,
                            std::int64_t budget_bytes) {
  io::ArenaPicture picture{.title = "Device memory of a replica over one training step",
                           .kinds = {kContentNames.begin(), kContentNames.end()},
                           .arena_bytes = plan.peak_bytes,
                           .budget_bytes = budget_bytes};
  for (const Phase& phase : program.phases) {
    if (phase.section == Section::step) picture.phases.push_back({phase.name, phase.first_step, phase.end_step});
  }
  if (picture.phases.empty()) return picture;
  const int first = picture.phases.front().begin, end = picture.phases.back().end;
  for (const Occupant& occupant : occupants) {
    io::ArenaBlock block{.name = occupant.slot >= 0 ? fmt::format("{}", program.slots[occupant.slot])
                                                    : program.graphs[occupant.graph].name + " workspace",
                         .kind = static_cast<int>(content_of(program, occupant)),
                         .offset = occupant.offset,
                         .bytes = occupant.bytes,
                         .begin = std::max(first, occupant.begin),
                         .end = std::min(end, occupant.end)};
    if (block.begin < block.end && block.bytes > 0) picture.blocks.push_back(std::move(block));
  }
  return picture;
}

void write_picture(const std::string& path, const io::ArenaPicture& picture) {
  io::write_file_atomically(path, io::arena_svg(picture));
}

}  // namespace phasor::run
