// What a replica runs: a program on each of its devices, joined by links.
#pragma once

#include <vector>

#include "engine/program/program.h"

namespace phasor {

struct Pipeline {
  std::vector<Program> devices;  // one at least; of equal name, replicas and micro-batches

  Pipeline() = default;
  explicit Pipeline(Program program) { devices.push_back(std::move(program)); }

  int size() const { return static_cast<int>(devices.size()); }
  const Program& first() const { return devices.front(); }
  // All that a replica keeps in remote memory: devices share it. In the order of devices and their buffers, each once.
  std::vector<Buffer> buffers() const;
  // Each once, in the order of devices.
  std::vector<Link> links() const;
};

// A pipeline that does the same on rows of fewer tokens, in the slots and on the buffers of a whole one: for
// micro-batches whose rows are not full (check/checker.h).
struct NarrowPipeline {
  std::int64_t tokens = 0;  // of a row
  Pipeline pipeline;
};

// "device 1 of 4, " where there are several; else "".
std::string place_of_device(const Pipeline& pipeline, int device);

// What the links keep for messages that are under way, of a replica.
std::int64_t link_bytes(const Pipeline& pipeline);

}  // namespace phasor
