// What each input is to its op, as far as the op's cost depends on it: known by its place from the front, as the shape
// rules have it (ir/ops), whatever may follow.
#pragma once

#include "engine/ir/op_table.h"

namespace phasor {

enum class OperandRole : std::uint8_t {
  rows,         // of a tensor that the op goes through row by row, and of every other of that shape
  row_numbers,  // one for each row
  labels,       // likewise: each one of the columns
  suffix,       // the last dimensions of rows, repeated over the others
  table,        // of which rows are read or added to
  ids,          // of these rows
  left,         // operands of a product and what it is added to
  right,
  bias,
  sum,
  qkv,  // of attention
  mask,
  attended,
  log_sum_exp,
  fixed,  // of a size of its own: positions, numbers of a step
};

OperandRole operand_role(Op op, std::size_t input);

// The first input of that role.
std::size_t operand_of(Op op, OperandRole role);

}  // namespace phasor
