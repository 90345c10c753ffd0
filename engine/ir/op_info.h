// What is known of an op, whatever its nodes are: its operands, its rules, and how the passes treat it.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "engine/base/tensor.h"
#include "engine/ir/attributes.h"
#include "engine/ir/op.h"
#include "engine/ir/required.h"

namespace phasor {

using Specs = std::vector<TensorSpec>;

// The specs of the outputs. Throws InternalError, naming the facts, where the inputs do not fit the op.
using ShapeRule = Specs (*)(std::span<const TensorSpec> inputs, const Attributes& attributes);

// Flops or bytes of a node.
using CostRule = double (*)(std::span<const TensorSpec> inputs, const Attributes& attributes);

// What an input is to its op, as far as the op's cost depends on it.
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
  images,    // [batch, channels, height, width] of a convolution or a pooling
  kernels,   // [out channels, channels, height, width]
  filtered,  // [batch, out channels, out height, out width]: y, or dy
  qkv,       // of attention
  attended,
  log_sum_exp,
  segments,  // whose the tokens of rows are (base/segments.h)
  fixed,     // of a size of its own: positions, numbers of a step
};

// How an op takes an input in a stage that computes in bfloat16 (transform/lower_precision.h).
enum class InBfloat16 : std::uint8_t {
  stays,       // as it is
  activation,  // in bfloat16
  weight,      // in bfloat16, in which a variable that ops take in no other way is kept, too
};

enum class Presence : std::uint8_t {
  always,
  optional,  // may be left out, as may all that follow it
  repeated,  // any number of them; the last
};

struct Operand {
  std::string_view name;
  OperandRole role{};
  InBfloat16 lowered = InBfloat16::stays;
  Presence presence = Presence::always;
};

// How a node is made smaller to be timed in place of others (program/simulate/sample_cuts.h).
enum class SampleCut : std::uint8_t {
  rows,        // fewer rows
  elements,    // fewer elements, whatever dimensions they are in
  product,     // smaller dimensions of a product
  attention,   // fewer heads
  images,      // fewer images, or channels, or smaller ones
  pack,        // fewer weights
  lookup,      // fewer ids and entries
  vocabulary,  // fewer tokens and entries
  none,        // it is small
};

struct OpInfo {
  static constexpr std::size_t kMostInputs = 7, kMostOutputs = 4;

  Op op{};
  std::string_view name;
  Operand inputs[kMostInputs];              // in order; those without a name are none
  std::string_view outputs[kMostOutputs];   // their names, likewise
  Presence last_output = Presence::always;  // of the last of them
  Required<ShapeRule> shapes;
  // Floating-point operations of products, a multiply-add counting as two. Null: the op has none; element-wise work
  // counts as nothing but the bytes that it moves.
  CostRule flops = nullptr;
  CostRule bytes = nullptr;     // read and written; null: those of all inputs and outputs
  int overwritable_inputs = 0;  // output k may lie where input k lies, for k below this number
  bool only_moves = false;      // elements as they are, whatever their type
  SampleCut cut = SampleCut::rows;

  constexpr std::size_t count_inputs() const {
    std::size_t count = 0;
    while (count < kMostInputs && !inputs[count].name.empty()) ++count;
    return count;
  }
  constexpr std::size_t count_outputs() const {
    std::size_t count = 0;
    while (count < kMostOutputs && !outputs[count].empty()) ++count;
    return count;
  }
  // What input number k of a node is. Repeated inputs share a row.
  const Operand& input(std::size_t k) const;
  std::string_view output(std::size_t k) const;
  // The number of the first input of that role, which there is.
  std::size_t input_of(OperandRole role) const;
};

}  // namespace phasor
