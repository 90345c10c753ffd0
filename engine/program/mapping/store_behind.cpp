#include "engine/program/mapping/store_behind.h"

namespace phasor {

int store_behind(const Program& program, int number, std::int32_t slot) {
  const int end = static_cast<int>(program.steps.size());
  for (int i = number + 1; i < end; ++i) {
    const Step step = program.steps[i];
    if (step.kind == StepKind::store && step.slot == slot) return i;
  }
  return -1;
}

}  // namespace phasor
