// The order in which a program's steps run, and how to name one of them to people.
#pragma once

#include <fmt/format.h>

#include "engine/program/program.h"

namespace phasor {

// The sections of a run: one step, then, as if after a checkpoint, two more. Between them sections follow one another
// in every way in which they ever do.
inline constexpr Section kWalk[] = {Section::begin, Section::step, Section::end, Section::begin,
                                    Section::step,  Section::step, Section::end};

// Calls visit(number) for the steps of one section, in order.
template <class Visit>
void for_each_step(const Program& program, Section section, Visit visit) {
  for (const Phase& phase : program.phases) {
    if (phase.section != section) continue;
    for (int step = phase.first_step; step < phase.end_step; ++step) visit(step);
  }
}

// A step as fmt prints it: "phase 'gradient layer' instance 3, step 17". Costs nothing until it is printed.
struct StepPlace {
  const Program& program;
  int step = 0;
};
std::string to_string(const StepPlace& place);

}  // namespace phasor

template <>
struct fmt::formatter<phasor::StepPlace> : fmt::formatter<std::string_view> {
  template <class Context>
  auto format(const phasor::StepPlace& place, Context& context) const {
    return fmt::formatter<std::string_view>::format(to_string(place), context);
  }
};
