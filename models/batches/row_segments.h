// Places as the batch tensor that tells a model whose the tokens of its rows are (engine/base/segments.h).
#pragma once

#include <vector>

#include "models/batches/samples.h"

namespace phasor::run {

// Fills the tensor "segments", which is clear. Returns the number of each place's segment among [rows, segments of a
// row], which is that of its labels, too.
std::vector<std::int64_t> write_segments(std::span<const Place> places, const Samples& samples, BatchTensors& tensors);

}  // namespace phasor::run
