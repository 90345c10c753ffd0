// The type of what attention multiplies.
#pragma once

#include <type_traits>

#include "engine/kernels/attention/attention.h"
#include "engine/kernels/product/product.h"

namespace phasor::kernels {

// use.operator()<Multiplied>(): T, which is stored, or float. The fastest is float where processors multiply bfloat16
// no faster, since operands are copied anyhow.
template <class T, class Use>
auto with_multiplied(const AttentionShape& shape, Use use) {
  const bool widens =
      shape.operands == AttentionOperands::fastest ? widens_bfloat16() : shape.operands == AttentionOperands::as_float;
  if constexpr (std::is_same_v<T, bfloat16>)
    if (widens) return use.template operator()<float>();
  return use.template operator()<T>();
}

}  // namespace phasor::kernels
