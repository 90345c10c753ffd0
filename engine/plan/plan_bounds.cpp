#include "engine/plan/plan_bounds.h"

#include "engine/base/tensor.h"

namespace phasor {

void check_bounds(const std::string& subject, const std::vector<std::int64_t>& bytes,
                  const std::vector<std::int64_t>& offsets, std::int64_t peak_bytes, std::int64_t lower_bound_bytes) {
  ensure(offsets.size() == bytes.size(), "{}: {} offsets for {} blocks", subject, offsets.size(), bytes.size());
  for (std::size_t block = 0; block < bytes.size(); ++block) {
    ensure(offsets[block] >= 0 && offsets[block] % kAlignment == 0,
           "{}: block {} lies at {}, expected a multiple of {}", subject, block, offsets[block], kAlignment);
    ensure(offsets[block] + align_up(bytes[block]) <= peak_bytes,
           "{}: block {} of {} bytes at {} ends behind the peak, {}", subject, block, bytes[block], offsets[block],
           peak_bytes);
  }
  ensure(peak_bytes >= lower_bound_bytes, "{}: its peak, {} bytes, is less than what is alive at a time, {}", subject,
         peak_bytes, lower_bound_bytes);
}

}  // namespace phasor
