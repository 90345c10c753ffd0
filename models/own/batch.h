// A batch of a model of one's own: arrays by name, each with the samples of the whole step along its first dimension.
#pragma once

#include <map>
#include <string>

#include "engine/base/tensor.h"
#include "engine/ir/stage.h"

namespace phasor::own {

// Contiguous, in rows; somebody else owns the memory.
using Batch = std::map<std::string, TensorView>;

// What a model asks for in a micro-batch, by name: the specs of its stages' batch inputs.
std::map<std::string, TensorSpec> batch_specs(const Stages& stages);

// Samples of a micro-batch, which is the first dimension of every batch input: UserError where they differ, or where
// there is none.
std::int64_t micro_batch_size(const Stages& stages);

// Of the batch inputs that name rows of a table or classes: how many there are. Numbers are to be from 0 to below that.
std::map<std::string, std::int64_t> index_limits(const Stages& stages);

// How many samples the batch has; a UserError where an array is missing, is not asked for, or is of another type or
// shape, or has a number that names nothing or is not finite. "label_weights" and "segments" may be missing: see
// fill_missing.
std::int64_t check_batch(const Batch& batch, const std::map<std::string, TensorSpec>& specs,
                         const std::map<std::string, std::int64_t>& limits);

// Values of batch inputs that follow from the others where they are not given: "label_weights" are one over their
// number in the step, so that the loss is a mean; "segments" say that every row is one sample, all of it.
struct FilledValues {
  std::vector<float> label_weights;
  std::vector<std::int32_t> segments;
};
// Of a micro-batch, in a step of so many.
FilledValues fill_missing(const Stages& stages, std::int64_t micro_batches);

}  // namespace phasor::own
