#include "engine/program/pipeline.h"

#include <set>

namespace phasor {

std::vector<Buffer> Pipeline::buffers() const {
  std::set<std::string_view> names;
  std::vector<Buffer> all;
  for (const Program& program : devices) {
    for (const Buffer& buffer : program.buffers) {
      if (names.insert(buffer.spec.name).second) all.push_back(buffer);
    }
  }
  return all;
}

std::vector<Link> Pipeline::links() const {
  std::set<std::string_view> names;
  std::vector<Link> all;
  for (const Program& program : devices) {
    for (const Link& link : program.links) {
      if (names.insert(link.name).second) all.push_back(link);
    }
  }
  return all;
}

std::string place_of_device(const Pipeline& pipeline, int device) {
  return pipeline.size() > 1 ? fmt::format("device {} of {}, ", device, pipeline.size()) : "";
}

std::int64_t link_bytes(const Pipeline& pipeline) {
  std::int64_t bytes = 0;
  for (const Link& link : pipeline.links()) bytes += link.capacity * link.bytes;
  return bytes;
}

}  // namespace phasor
