#include <vector>

#include "engine/base/copy.h"
#include "engine/base/tensor.h"
#include "engine/remote/store.h"

namespace phasor {

namespace {

class MemoryStore : public Store {
 public:
  Region create(const std::string&, std::int64_t bytes) override {
    regions_.push_back(allocate_zeroed(bytes));
    return static_cast<Region>(regions_.size()) - 1;
  }
  void read(Region region, std::int64_t offset, std::span<std::byte> to) const override {
    copy_bytes({regions_[region].get() + offset, to.size()}, to, Afterwards::read_soon);
  }
  void write(Region region, std::int64_t offset, std::span<const std::byte> from) override {
    copy_bytes(from, {regions_[region].get() + offset, from.size()}, Afterwards::put_away);
  }

 private:
  std::vector<AlignedBytes> regions_;
};

}  // namespace

std::unique_ptr<Store> memory_store() { return std::make_unique<MemoryStore>(); }

}  // namespace phasor
