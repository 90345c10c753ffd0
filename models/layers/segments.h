// Whose the tokens of a micro-batch's rows are.
#pragma once

#include "engine/ir/records.h"
#include "engine/ir/stage_builder.h"
#include "models/layers/micro_batch.h"

namespace phasor::layers {

// The batch tensor "segments" (engine/base/segments.h).
inline Value segments_of(StageBuilder& b, MicroBatch batch) {
  return b.batch("segments", segments_spec(batch.rows, batch.samples_of_row));
}

}  // namespace phasor::layers
