#include "engine/lower/prepare.h"

#include "engine/transform/fuse.h"
#include "engine/transform/lower_precision.h"

namespace phasor {

Stages prepare_stages(const Stages& stages, Precision precision) {
  Stages prepared;
  for (const Stage& stage : stages) {
    prepared.push_back(fuse(stage));
    if (precision == Precision::bfloat16) prepared.back() = lower_precision(prepared.back());
  }
  return prepared;
}

}  // namespace phasor
