// What lies where in the arena, and when: a plan seen block by block, for people.
#pragma once

#include <span>

#include "engine/program/memory/program_plan.h"

namespace phasor {

// A slot or a graph's workspace during a time when it holds something that is still needed.
struct Occupant {
  int slot = -1, graph = -1;           // one of the two
  std::int64_t offset = 0, bytes = 0;  // bytes as the arena counts them, multiples of kAlignment
  int begin = 0, end = 0;              // steps [begin, end)
};

// Ordered by their beginnings. Times of one block do not overlap; those that touch are one value behind another.
std::vector<Occupant> find_occupants(const Program& program, const ProgramPlan& plan);
// While these phases run (distinct_phases.h): what lies there in between is left out.
std::vector<Occupant> find_occupants(const Program& program, const ProgramPlan& plan, const std::vector<Phase>& phases);

Content content_of(const Program& program, const Occupant& occupant);

// The first step at which as many bytes are occupied as at any of some range.
struct FullestMoment {
  int step = 0;
  std::int64_t bytes = 0;
};
// Of each phase.
std::vector<FullestMoment> fullest_moments(std::span<const Occupant> occupants, const std::vector<Phase>& phases);

}  // namespace phasor
