#include "models/run/finite_results.h"

#include "engine/base/error.h"
#include "engine/base/finite.h"

namespace phasor::run {

void check_finite(std::string_view name, std::span<const float> values, Precision precision) {
  const std::optional<std::size_t> wrong = first_not_finite(values);
  check(!wrong, "model: one of its {} is {}, expected finite numbers: its weights are too large for {}", name,
        wrong ? values[*wrong] : 0, precision == Precision::bfloat16 ? "bfloat16" : "float32");
}

}  // namespace phasor::run
