#include "io/files/content_sum.h"

#include <fmt/format.h>
#include <new>
#include <xxhash.h>

namespace phasor::io {

struct ContentSum::State {
  XXH3_state_t* xxh3 = XXH3_createState();
  ~State() { XXH3_freeState(xxh3); }
};

ContentSum::ContentSum() : state_(std::make_unique<State>()) {
  if (state_->xxh3 == nullptr) throw std::bad_alloc();
  XXH3_128bits_reset(state_->xxh3);
}
ContentSum::~ContentSum() = default;

void ContentSum::add(std::span<const std::byte> bytes) {
  XXH3_128bits_update(state_->xxh3, bytes.data(), bytes.size());
}

std::string ContentSum::text() const {
  const XXH128_hash_t sum = XXH3_128bits_digest(state_->xxh3);
  return fmt::format("{:016x}{:016x}", sum.high64, sum.low64);
}

}  // namespace phasor::io
