// The op table: one row for each op, with all that is known of it. Its kernels stand in the kernel table (runtime), its
// gradient in the gradient table (transform).
#pragma once

#include <algorithm>
#include <array>

#include "engine/ir/op_rules.h"

namespace phasor {

namespace op_rows {

using enum OperandRole;
using enum InBfloat16;
using enum Presence;

inline constexpr std::array<OpInfo, kOps> kTable{{
    {.op = Op::matmul,
     .name = "matmul",
     .inputs = {{"a", left, activation}, {"b", right, weight}, {"bias", bias, stays, optional}},
     .outputs = {"y"},
     .shapes = rules::matmul,
     .flops = rules::matmul_flops,
     .cut = SampleCut::product},
    {.op = Op::matmul_add,
     .name = "matmul_add",
     .inputs = {{"sum", sum}, {"a", left}, {"b", right}},
     .outputs = {"y"},
     .shapes = rules::matmul_add,
     .flops = rules::matmul_add_flops,
     .overwritable_inputs = 1,
     .cut = SampleCut::product},
    {.op = Op::pack,
     .name = "pack",
     .inputs = {{"b", right, stays, repeated}},
     .outputs = {"packed"},
     .last_output = repeated,
     .shapes = rules::pack,
     .cut = SampleCut::pack},
    {.op = Op::add,
     .name = "add",
     .inputs = {{"a", rows, activation}, {"b", suffix, activation}},
     .outputs = {"y"},
     .shapes = rules::add,
     .overwritable_inputs = 1},
    {.op = Op::reduce_sum,
     .name = "reduce_sum",
     .inputs = {{"x", rows}},
     .outputs = {"y"},
     .shapes = rules::reduce_sum},
    {.op = Op::gelu,
     .name = "gelu",
     .inputs = {{"x", rows, activation}},
     .outputs = {"y"},
     .shapes = rules::gelu,
     .overwritable_inputs = 1},
    {.op = Op::gelu_gradient,
     .name = "gelu_gradient",
     .inputs = {{"x", rows}, {"dy", rows}},
     .outputs = {"dx"},
     .shapes = rules::gelu_gradient},
    {.op = Op::gelu_with_gradient,
     .name = "gelu_with_gradient",
     .inputs = {{"x", rows}, {"dy", rows}},
     .outputs = {"dx", "y"},
     .shapes = rules::gelu_with_gradient},
    {.op = Op::dropout,
     .name = "dropout",
     .inputs = {{"x", rows, activation}, {"position", fixed}},
     .outputs = {"y"},
     .shapes = rules::dropout,
     .overwritable_inputs = 1},
    {.op = Op::layer_norm,
     .name = "layer_norm",
     .inputs = {{"x", rows, activation}, {"gamma", suffix}, {"beta", suffix}},
     .outputs = {"y", "mean", "rstd"},
     .shapes = rules::layer_norm},
    {.op = Op::layer_norm_gradient,
     .name = "layer_norm_gradient",
     .inputs = {{"x", rows}, {"gamma", suffix}, {"mean", row_numbers}, {"rstd", row_numbers}, {"dy", rows}},
     .outputs = {"dx", "dgamma", "dbeta"},
     .shapes = rules::layer_norm_gradient},
    {.op = Op::dropout_add_norm,
     .name = "dropout_add_norm",
     .inputs = {{"x", rows, activation},
                {"residual", rows, activation},
                {"gamma", suffix},
                {"beta", suffix},
                {"position", fixed}},
     .outputs = {"sum", "y", "mean", "rstd"},
     .shapes = rules::dropout_add_norm},
    {.op = Op::dropout_add_norm_gradient,
     .name = "dropout_add_norm_gradient",
     .inputs = {{"sum", rows},
                {"gamma", suffix},
                {"mean", row_numbers},
                {"rstd", row_numbers},
                {"position", fixed},
                {"dy", rows}},
     .outputs = {"dx", "dresidual", "dgamma", "dbeta"},
     .shapes = rules::dropout_add_norm_gradient},
    {.op = Op::embedding,
     .name = "embedding",
     .inputs = {{"table", table, weight}, {"ids", ids}},
     .outputs = {"y"},
     .shapes = rules::embedding,
     .bytes = rules::embedding_bytes,
     .cut = SampleCut::lookup},
    {.op = Op::embedding_slice,
     .name = "embedding_slice",
     .inputs = {{"x", rows, activation}, {"table", table, weight}, {"ids", ids}, {"position", fixed}},
     .outputs = {"y"},
     .shapes = rules::embedding_slice,
     .bytes = rules::embedding_slice_bytes,
     .overwritable_inputs = 1,
     .cut = SampleCut::lookup},
    {.op = Op::embedding_gradient,
     .name = "embedding_gradient",
     .inputs = {{"ids", ids}, {"dy", rows}, {"position", fixed, stays, optional}},
     .outputs = {"dtable"},
     .shapes = rules::embedding_gradient,
     .bytes = rules::embedding_gradient_bytes,
     .cut = SampleCut::lookup},
    {.op = Op::embedding_gradient_add,
     .name = "embedding_gradient_add",
     .inputs = {{"sum", table}, {"ids", ids}, {"dy", rows}, {"position", fixed, stays, optional}},
     .outputs = {"dtable"},
     .shapes = rules::embedding_gradient_add,
     .bytes = rules::embedding_gradient_add_bytes,
     .overwritable_inputs = 1,
     .cut = SampleCut::lookup},
    {.op = Op::attention,
     .name = "attention",
     .inputs = {{"qkv", qkv, activation}, {"mask", mask}, {"position", fixed}},
     .outputs = {"out", "log_sum_exp"},
     .shapes = rules::attention,
     .flops = rules::attention_flops,
     .cut = SampleCut::attention},
    {.op = Op::attention_gradient,
     .name = "attention_gradient",
     .inputs = {{"qkv", qkv},
                {"mask", mask},
                {"position", fixed},
                {"out", attended},
                {"log_sum_exp", log_sum_exp},
                {"dout", attended}},
     .outputs = {"dqkv"},
     .shapes = rules::attention_gradient,
     .flops = rules::attention_gradient_flops,
     .cut = SampleCut::attention},
    {.op = Op::cross_entropy,
     .name = "cross_entropy",
     .inputs = {{"logits", rows}, {"labels", labels}, {"weights", row_numbers}},
     .outputs = {"loss"},
     .shapes = rules::cross_entropy},
    {.op = Op::cross_entropy_gradient,
     .name = "cross_entropy_gradient",
     .inputs = {{"logits", rows}, {"labels", labels}, {"weights", row_numbers}, {"dloss", fixed}},
     .outputs = {"dlogits"},
     .shapes = rules::cross_entropy_gradient},
    {.op = Op::transpose,
     .name = "transpose",
     .inputs = {{"x", rows, activation}},
     .outputs = {"y"},
     .shapes = rules::transpose,
     .only_moves = true},
    {.op = Op::reshape,
     .name = "reshape",
     .inputs = {{"x", rows, activation}},
     .outputs = {"y"},
     .shapes = rules::reshape,
     .only_moves = true,
     .cut = SampleCut::elements},
    {.op = Op::convert, .name = "convert", .inputs = {{"x", rows}}, .outputs = {"y"}, .shapes = rules::convert},
    {.op = Op::iota, .name = "iota", .outputs = {"y"}, .shapes = rules::iota, .cut = SampleCut::result},
    {.op = Op::adam,
     .name = "adam",
     .inputs = {{"w", rows}, {"m", rows}, {"v", rows}, {"g", rows}, {"step", fixed}, {"clip", fixed, stays, optional}},
     .outputs = {"w", "m", "v", "rounded"},
     .last_output = optional,
     .shapes = rules::adam,
     .overwritable_inputs = 3},
    {.op = Op::stochastic_round,
     .name = "stochastic_round",
     .inputs = {{"x", rows}, {"position", fixed}},
     .outputs = {"y"},
     .shapes = rules::stochastic_round},
    {.op = Op::square_sum,
     .name = "square_sum",
     .inputs = {{"sum", fixed}, {"x", rows}},
     .outputs = {"y"},
     .shapes = rules::square_sum,
     .overwritable_inputs = 1},
    {.op = Op::clip_factor,
     .name = "clip_factor",
     .inputs = {{"sharded", fixed}, {"whole", fixed}, {"step", fixed}},
     .outputs = {"clip"},
     .shapes = rules::clip_factor,
     .cut = SampleCut::none},
}};

}  // namespace op_rows

constexpr const OpInfo& op_info(Op op) { return op_rows::kTable[static_cast<std::size_t>(op)]; }

namespace op_rows {

// Whether only operands at the end may be missing or repeated.
constexpr bool is_sound(const OpInfo& info) {
  const std::size_t inputs = info.count_inputs(), outputs = info.count_outputs();
  for (std::size_t k = 0; k + 1 < inputs; ++k) {
    if (info.inputs[k].presence == repeated) return false;
    if (info.inputs[k].presence == optional && info.inputs[k + 1].presence != optional) return false;
  }
  const auto overwritten = static_cast<std::size_t>(info.overwritable_inputs);
  return !info.name.empty() && info.shapes != nullptr && outputs > 0 && overwritten <= std::min(inputs, outputs);
}

// Each op has its row, and in its place.
constexpr bool is_complete() {
  for (std::size_t i = 0; i < kTable.size(); ++i) {
    if (kTable[i].op != static_cast<Op>(i) || !is_sound(kTable[i])) return false;
  }
  return true;
}
static_assert(is_complete(),
              "the op table lacks a row, has one in another place than enum Op, or one that is not sound");

}  // namespace op_rows

// The specs of a node's outputs. Throws InternalError where the inputs do not fit the op in number or kind.
Specs output_specs(Op op, std::span<const TensorSpec> inputs, const Attributes& attributes);

}  // namespace phasor
