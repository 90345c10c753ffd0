// What can be seen of a plan without knowing when its blocks are alive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace phasor {

// Throws InternalError unless every block has an offset, aligned, lies within the peak, and the peak is not below the
// lower bound. `subject` names the plan: "workspace of 'layer.forward'".
void check_bounds(const std::string& subject, const std::vector<std::int64_t>& bytes,
                  const std::vector<std::int64_t>& offsets, std::int64_t peak_bytes, std::int64_t lower_bound_bytes);

}  // namespace phasor
