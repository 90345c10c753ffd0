// Which backend serves which product: data, made from measurements (`phasor bench products`), so that the same machine
// gives the same bits in every run.
#pragma once

#include <array>
#include <span>

#include "engine/kernels/product/instruction_set.h"
#include "engine/kernels/product/product.h"

namespace phasor::kernels {

enum class ShapeClass : unsigned char {
  skinny,           // m, n or k is less than a register or two hold
  head,             // of attention: m, n or k is that of a head
  weight_gradient,  // a is stored transposed
  large,            // the others: linears
};

inline constexpr std::array kShapeClasses{ShapeClass::skinny, ShapeClass::head, ShapeClass::weight_gradient,
                                          ShapeClass::large};

ShapeClass class_of(const ProductShape& shape);

// Whether products of bfloat16 are faster than those of float32.
bool has_fast_bfloat16(InstructionSet set);

// By name, best first. What is not there, or does not serve the shape, is passed over; `reference` is behind all.
std::span<const std::string_view> preferred_backends(InstructionSet set, DType operands, ShapeClass shapes);

}  // namespace phasor::kernels
