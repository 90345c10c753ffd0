#include "engine/ir/ops/rules.h"

namespace phasor::rules {

// table [entries, columns], ids [...] -> y [..., columns]
Specs embedding(std::span<const TensorSpec> inputs, const Attributes&) {
  expect_inputs("embedding", inputs, 2);
  const Shape &table = inputs[0].shape, &ids = inputs[1].shape;
  ensure(table.rank() == 2, "embedding: table {} has rank {}, expected 2", to_string(table), table.rank());
  ensure(inputs[1].dtype == DType::i32, "embedding: ids are {}, expected i32", to_string(inputs[1]));
  const DType dtype = inputs[0].dtype;
  if (ids.rank() == 1) return {{dtype, {ids[0], table[1]}}};
  ensure(ids.rank() == 2, "embedding: ids {} have rank {}, expected 1 or 2", to_string(ids), ids.rank());
  return {{dtype, {ids[0], ids[1], table[1]}}};
}

// x, slice of the table, ids, position -> x with the rows whose ids are in the slice replaced
Specs embedding_slice(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  expect_inputs("embedding_slice", inputs, 4);
  expect_spec("embedding_slice", "x", inputs[0], embedding(inputs.subspan(1, 2), attributes)[0]);
  expect_spec("embedding_slice", "position", inputs[3], kRandomPositionSpec);
  return {inputs[0]};
}

// ids, dy, and the position of a slice -> dtable
Specs embedding_gradient(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const bool is_slice = std::get<EmbeddingAttributes>(attributes).whole > 0;
  expect_inputs("embedding_gradient", inputs, is_slice ? 3 : 2);
  if (is_slice) expect_spec("embedding_gradient", "position", inputs[2], kRandomPositionSpec);
  const Shape &ids = inputs[0].shape, &dy = inputs[1].shape;
  ensure(ids.elements() == dy.rows(), "embedding_gradient: ids {} do not count the rows of dy {}", to_string(ids),
         to_string(dy));
  return {{DType::f32, {std::get<EmbeddingAttributes>(attributes).entries, dy.columns()}}};
}

// sum, then as embedding_gradient -> sum + dtable
Specs embedding_gradient_add(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  ensure(!inputs.empty(), "embedding_gradient_add: no inputs");
  expect_spec("embedding_gradient_add", "sum", inputs[0], embedding_gradient(inputs.subspan(1), attributes)[0]);
  return {inputs[0]};
}

}  // namespace phasor::rules
