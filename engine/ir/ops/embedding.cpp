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

// ids, dy -> dtable
Specs embedding_gradient(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  expect_inputs("embedding_gradient", inputs, 2);
  const Shape &ids = inputs[0].shape, &dy = inputs[1].shape;
  ensure(ids.elements() == dy.rows(), "embedding_gradient: ids {} do not count the rows of dy {}", to_string(ids),
         to_string(dy));
  return {{DType::f32, {std::get<EmbeddingAttributes>(attributes).entries, dy.columns()}}};
}

// sum, ids, dy -> sum + dtable
Specs embedding_gradient_add(std::span<const TensorSpec> inputs, const Attributes& attributes) {
  expect_inputs("embedding_gradient_add", inputs, 3);
  expect_spec("embedding_gradient_add", "sum", inputs[0], embedding_gradient(inputs.subspan(1), attributes)[0]);
  return {inputs[0]};
}

}  // namespace phasor::rules
