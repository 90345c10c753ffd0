// The two forms of GELU (engine/kernels/gelu.h).
#pragma once

#include <cstdint>

namespace phasor {

enum class GeluKind : std::uint8_t {
  erf,   // exact
  tanh,  // "gelu_new" of GPT-2
};

}  // namespace phasor
