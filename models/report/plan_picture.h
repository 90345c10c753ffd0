// What lies where in device memory over a training step, and when, as the plan has it.
#pragma once

#include <span>

#include "engine/program/memory/occupants.h"
#include "io/figures/arena_picture.h"

namespace phasor::run {

// The arena over the phases of section `step`; budget_bytes 0: none.
io::ArenaPicture picture_of(const Program& program, const ProgramPlan& plan, std::span<const Occupant> occupants,
                            std::int64_t budget_bytes);

// Writes the picture as an SVG file.
void write_picture(const std::string& path, const io::ArenaPicture& picture);

}  // namespace phasor::run
