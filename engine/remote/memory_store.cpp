#include <vector>

#include "engine/base/copy.h"
#include "engine/base/tensor.h"
#include "engine/remote/region_bounds.h"
#include "engine/remote/store.h"

namespace phasor {

namespace {

class MemoryStore : public Store {
 public:
  Region create(const std::string& name, std::int64_t bytes) override {
    regions_.push_back({{name, bytes}, allocate_zeroed(bytes)});
    return static_cast<Region>(regions_.size()) - 1;
  }
  void read(Region region, std::int64_t offset, std::span<std::byte> to) const override {
    copy_bytes(part(region, offset, to.size()), to, Afterwards::read_soon);
  }
  void write(Region region, std::int64_t offset, std::span<const std::byte> from) override {
    copy_bytes(from, part(region, offset, from.size()), Afterwards::put_away);
  }

  std::span<std::byte> in_place(Region region, std::int64_t offset, std::size_t count) override {
    return part(region, offset, count);
  }

 private:
  struct Memory {
    RegionBounds bounds;
    AlignedBytes bytes;
  };

  std::span<std::byte> part(Region region, std::int64_t offset, std::size_t count) const {
    const Memory& memory = regions_[region];
    memory.bounds.ensure_inside(offset, count);
    return {memory.bytes.get() + offset, count};
  }

  std::vector<Memory> regions_;
};

}  // namespace

std::unique_ptr<Store> memory_store() { return std::make_unique<MemoryStore>(); }

}  // namespace phasor
