// What the buffers of a run's programs have room for.
#pragma once

#include <cstdint>

#include "models/plan/planned_run.h"

namespace phasor::run {

inline std::int64_t bytes_of_buffers(const ResolvedRun& run, const Pipeline& pipeline) {
  std::int64_t bytes = 0;
  for (const Buffer& buffer : pipeline.buffers()) bytes += buffer.spec.bytes(run.execution.replicas);
  return bytes;
}

inline std::int64_t bytes_of_buffers(const ResolvedRun& run) {
  return bytes_of_buffers(run, pipeline_of(run, stages_of(run)));
}

}  // namespace phasor::run
