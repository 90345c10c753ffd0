// Numbers in JSON that came from elsewhere: the library converts any of them to any type, whether it fits or not.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>

namespace phasor::io {

// The whole number that `value` is, where it is one, not negative, and fits. `Json` is one of nlohmann's.
template <class Number, class Json>
std::optional<Number> whole_number(const Json& value) {
  if (!value.is_number_unsigned()) return std::nullopt;
  const auto number = value.template get<std::uint64_t>();
  if (number > static_cast<std::uint64_t>(std::numeric_limits<Number>::max())) return std::nullopt;
  return static_cast<Number>(number);
}

}  // namespace phasor::io
