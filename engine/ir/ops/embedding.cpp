#include "engine/ir/ops/input_specs.h"

namespace phasor::rules {

namespace {

bool is_slice(const Attributes& attributes) { return std::get<EmbeddingAttributes>(attributes).whole > 0; }

TensorSpec looked_up(const TensorSpec& table, const TensorSpec& ids) {
  ensure(table.shape.rank() == 2, "embedding: table {} has rank {}, expected 2", to_string(table.shape),
         table.shape.rank());
  ensure(ids.dtype == DType::i32, "embedding: ids are {}, expected i32", to_string(ids));
  const Shape& of = ids.shape;
  if (of.rank() == 1) return {table.dtype, {of[0], table.shape[1]}};
  ensure(of.rank() == 2, "embedding: ids {} have rank {}, expected 1 or 2", to_string(of), of.rank());
  return {table.dtype, {of[0], of[1], table.shape[1]}};
}

template <Op op>
TensorSpec gradient_of_table(const InputSpecs<op>& in, const Attributes& attributes) {
  ensure(in.has("position") == is_slice(attributes), "{}: {} position, but the table is {}", op_info(op).name,
         in.has("position") ? "a" : "no", is_slice(attributes) ? "a slice" : "whole");
  if (in.has("position")) in.expect("position", kRandomPositionSpec);
  const Shape &ids = in["ids"].shape, &dy = in["dy"].shape;
  ensure(ids.elements() == dy.rows(), "{}: ids {} do not count the rows of dy {}", op_info(op).name, to_string(ids),
         to_string(dy));
  return {DType::f32, {std::get<EmbeddingAttributes>(attributes).entries, dy.columns()}};
}

// Bytes that a node moves: its ids, and `row_bytes` for each row of the table that they name.
double touched_bytes(const TensorSpec& ids, const Attributes& attributes, std::int64_t row_bytes) {
  const auto& options = std::get<EmbeddingAttributes>(attributes);
  double rows = static_cast<double>(ids.elements());
  if (options.whole > 0) rows *= static_cast<double>(options.entries) / static_cast<double>(options.whole);
  return static_cast<double>(ids.bytes()) + rows * static_cast<double>(row_bytes);
}

std::int64_t row_bytes(const TensorSpec& spec) { return spec.shape.columns() * size_of(spec.dtype); }

}  // namespace

// table [entries, columns], ids [...] -> y [..., columns]
Specs embedding(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::embedding> in(inputs);
  return {looked_up(in["table"], in["ids"])};
}

// `table` is a slice; y is x with the rows whose ids are in the slice replaced
Specs embedding_slice(std::span<const TensorSpec> inputs, const Attributes&) {
  const InputSpecs<Op::embedding_slice> in(inputs);
  in.expect("x", looked_up(in["table"], in["ids"]));
  in.expect("position", kRandomPositionSpec);
  return {in["x"]};
}

// `position` is that of a slice
Specs embedding_gradient(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  return {gradient_of_table(InputSpecs<Op::embedding_gradient>(inputs), attributes)};
}

// dtable = sum + the gradient
Specs embedding_gradient_add(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::embedding_gradient_add> in(inputs);
  in.expect("sum", gradient_of_table(in, attributes));
  return {in["sum"]};
}

// Read and written.
double embedding_bytes(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::embedding> in(inputs);
  return touched_bytes(in["ids"], attributes, 2 * row_bytes(in["table"]));
}
double embedding_slice_bytes(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::embedding_slice> in(inputs);
  return touched_bytes(in["ids"], attributes, 2 * row_bytes(in["table"]));
}

// The table is written whole.
double embedding_gradient_bytes(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::embedding_gradient> in(inputs);
  const TensorSpec dtable = gradient_of_table(in, attributes);
  return touched_bytes(in["ids"], attributes, row_bytes(in["dy"])) + static_cast<double>(dtable.bytes());
}

// Rows of the sum are read and written.
double embedding_gradient_add_bytes(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const InputSpecs<Op::embedding_gradient_add> in(inputs);
  return touched_bytes(in["ids"], attributes, row_bytes(in["dy"]) + 2 * row_bytes(in["sum"]));
}

}  // namespace phasor::rules
