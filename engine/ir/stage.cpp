#include "engine/ir/stage.h"

namespace phasor {

int count_instances(const Stages& stages) {
  int count = 0;
  for (const Stage& stage : stages) count += stage.instances;
  return count;
}

std::int64_t count_parameters(const Stages& stages) {
  std::int64_t count = 0;
  for (const Stage& stage : stages) {
    for (const Variable& variable : stage.variables) {
      count += stage.instances * stage.graph.spec(variable.value).elements();
    }
  }
  return count;
}

}  // namespace phasor
