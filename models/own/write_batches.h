// How a batch's arrays come into a program's remote buffers.
#pragma once

#include <span>

#include "models/own/batch.h"

namespace phasor::own {

// Calls write(span) with micro-batch number m of an array, in its type.
template <class Write>
void with_part(const TensorView& array, const TensorSpec& spec, std::int64_t m, Write write) {
  const auto count = static_cast<std::size_t>(spec.elements());
  const auto* bytes = static_cast<const std::byte*>(array.data) + m * spec.bytes();
  if (spec.dtype == DType::f32) {
    write(std::span(reinterpret_cast<const float*>(bytes), count));
  } else {
    check(spec.dtype == DType::i32, "batch: arrays of {} are not supported, expected f32 or i32", name_of(spec.dtype));
    write(std::span(reinterpret_cast<const std::int32_t*>(bytes), count));
  }
}

// Writes `micro_batches` of each replica's, those of one replica behind those of another, to Target::write_batch(name,
// replica, micro_batch, values). What the batch lacks is what fill_missing makes.
template <class Target>
void write_batches(const Batch& batch, const Stages& stages, int replicas, int micro_batches, Target& target) {
  const FilledValues filled = fill_missing(stages, std::int64_t{replicas} * micro_batches);
  for (const auto& [name, spec] : batch_specs(stages)) {
    const auto given = batch.find(name);
    for (int replica = 0; replica < replicas; ++replica) {
      for (int m = 0; m < micro_batches; ++m) {
        if (given != batch.end()) {
          with_part(given->second, spec, std::int64_t{replica} * micro_batches + m,
                    [&, &name = name](auto values) { target.write_batch(name, replica, m, values); });
        } else if (name == "segments") {
          target.template write_batch<std::int32_t>(name, replica, m, filled.segments);
        } else {
          target.template write_batch<float>(name, replica, m, filled.label_weights);
        }
      }
    }
  }
}

}  // namespace phasor::own
