#include "engine/program/walk.h"

namespace phasor {

std::string to_string(const StepPlace& place) {
  for (const Phase& phase : place.program.phases) {
    if (place.step < phase.first_step || place.step >= phase.end_step) continue;
    return fmt::format("phase '{}' instance {}, step {}", phase.name, phase.instance, place.step);
  }
  return fmt::format("step {}", place.step);
}

}  // namespace phasor
