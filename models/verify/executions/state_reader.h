// Where the state of an execution is read, a piece of a tensor at a time, for others to be held against.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "engine/train/trainer.h"

namespace phasor::run {

// Reads elements [first, first + to.size()) of a tensor.
using ReadPart = std::function<void(std::int64_t first, std::span<float> to)>;
// How what is kept of a tensor, in that shape, is read. What the execution does not have so is a UserError.
using StateReader = std::function<ReadPart(StateKind kind, const CanonicalTensor& tensor, const Shape& kept)>;

// Of a trainer, which makes no step while it is read.
StateReader state_of(Trainer& trainer);
// Of what a checkpoint holds. A tensor is in memory at a time.
StateReader state_of(const std::string& checkpoint);

}  // namespace phasor::run
