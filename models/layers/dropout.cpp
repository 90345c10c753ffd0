#include "models/layers/dropout.h"

namespace phasor::layers {

Value dropout(StageBuilder& b, Value x, float probability, Value segments) {
  if (probability == 0) return x;
  const Value position = b.position();
  return b.dropout(x, position, {.probability = probability, .site = b.new_site()}, segments);
}

}  // namespace phasor::layers
