// Of which steps a run tells what they gave.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace phasor::run {

struct StepOutputs {
  enum class Kind : std::uint8_t {
    all,    // each
    final,  // of those that run without the host in between, the last
    sum,    // of those, all together
    every,  // each whose number is a multiple of `every`
  };
  Kind kind = Kind::all;
  std::int64_t every = 1;
  friend bool operator==(const StepOutputs&, const StepOutputs&) = default;
};

// "all", "final", "sum" or "every N" with N of one at least; nothing of another text.
std::optional<StepOutputs> parse_outputs(const std::string& text);

}  // namespace phasor::run
