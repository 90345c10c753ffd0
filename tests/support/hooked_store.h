// Memory that tells of every transfer before it happens, on the thread that does it. What the hook throws is the
// transfer's error.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/remote/store.h"

namespace phasor::test {

class HookedStore : public Store {
 public:
  enum class Access : std::uint8_t { read, write };
  using Hook = std::function<void(Access access, const std::string& region, std::int64_t offset)>;

  explicit HookedStore(Hook hook) : hook_(std::move(hook)) {}
  Region create(const std::string& name, std::int64_t bytes) override {
    names_.push_back(name);
    return memory_->create(name, bytes);
  }
  void read(Region region, std::int64_t offset, std::span<std::byte> to) const override {
    hook_(Access::read, names_[region], offset);
    memory_->read(region, offset, to);
  }
  void write(Region region, std::int64_t offset, std::span<const std::byte> from) override {
    hook_(Access::write, names_[region], offset);
    memory_->write(region, offset, from);
  }
  // Of which nobody is told.
  std::span<std::byte> in_place(Region region, std::int64_t offset, std::size_t count) override {
    return memory_->in_place(region, offset, count);
  }

 private:
  Hook hook_;
  std::vector<std::string> names_;
  std::unique_ptr<Store> memory_ = memory_store();
};

}  // namespace phasor::test
