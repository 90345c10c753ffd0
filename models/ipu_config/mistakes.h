// What the sources of an IPUConfig share: how fields are named, quoted and refused.
#pragma once

#include <string>
#include <utility>

#include "models/ipu_config/ipu_config.h"

namespace phasor::ipu {

// Throws Incompatible unless the condition holds.
template <class... Arguments>
void compatible(bool condition, fmt::format_string<Arguments...> message, Arguments&&... arguments) {
  if (!condition) throw Incompatible(fmt::format(message, std::forward<Arguments>(arguments)...));
}

// The name of the field that counts for the use.
inline std::string field_of(const std::string& name, Use use) {
  return use == Use::inference ? "inference_" + name : name;
}

// Any value in one line, whatever bytes its texts have.
inline std::string one_line(const Json& value) { return value.dump(-1, ' ', true, Json::error_handler_t::replace); }

}  // namespace phasor::ipu
