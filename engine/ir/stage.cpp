#include "engine/ir/stage.h"

namespace phasor {

int count_instances(const Stages& stages) {
  int count = 0;
  for (const Stage& stage : stages) count += stage.instances;
  return count;
}

std::vector<InstanceNumbers> number_instances(const Stages& stages) {
  std::vector<InstanceNumbers> numbers;
  std::int64_t next = 0;
  for (const Stage& stage : stages) {
    for (int n = 0; n < stage.instances; ++n) {
      numbers.push_back(stage.sliced() ? InstanceNumbers{next, n} : InstanceNumbers{next + n, 0});
    }
    next += stage.sliced() ? 1 : stage.instances;
  }
  return numbers;
}

std::int64_t count_elements(const Stage& stage, const Variable& variable) {
  const Shape& shape = stage.graph.spec(variable.value).shape;
  return stage.sliced() ? stage.sliced_rows * (shape.elements() / shape[0]) : shape.elements();
}

std::int64_t count_parameters(const Stages& stages) {
  std::int64_t count = 0;
  for (const Stage& stage : stages) {
    for (const Variable& variable : stage.variables) {
      count += (stage.sliced() ? 1 : stage.instances) * count_elements(stage, variable);
    }
  }
  return count;
}

}  // namespace phasor
