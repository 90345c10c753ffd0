// A small graph with its gradient behind it, as the transforms of training meet it.
#pragma once

#include "engine/ir/builder.h"
#include "engine/ir/verifier.h"
#include "engine/transform/autodiff.h"
#include "tests/support/elements.h"
#include "tests/support/inputs.h"
#include "tests/support/records.h"

namespace phasor::test {

// y = layer_norm(dropout(gelu(x w)) + x), then dx, dw, dgamma and dbeta.
struct TrainingExample {
  TrainingExample() {
    const TensorSpec matrix{DType::f32, {4, 6}}, vector{DType::f32, {6}};
    Builder b(graph);
    x = graph.add_input(matrix, "x");
    w = graph.add_input({DType::f32, {6, 6}}, "w");
    gamma = graph.add_input(vector, "gamma");
    beta = graph.add_input(vector, "beta");
    position = graph.add_input({DType::i64, {5}}, "position");
    product = b.matmul(x, w);
    sum = b.add(b.dropout(b.gelu(product), position, {.probability = 0.25f, .site = 1}), x);
    const Value y = b.layer_norm(sum, gamma, beta, {.eps = 0.5f}).y;
    first_backward = static_cast<int>(graph.nodes.size());
    const Seed seed{y, graph.add_input(matrix, "dy")};
    graph.outputs = autodiff(graph, std::span(&seed, 1), std::vector{x, w, gamma, beta});
    graph.outputs.push_back(y);
    verify(graph);
  }

  std::vector<Elements<float>> inputs() const {
    std::vector<Elements<float>> all;
    for (Value input : graph.inputs) {
      all.emplace_back(graph.spec(input));
      const Floats values = uniform(all.size(), all.back().reals.size());
      all.back().reals.assign(values.begin(), values.end());
      if (input == position) all.back().longs = to_longs({.seed = 3, .step = 1, .first_sample = 8, .stage = 2});
    }
    return all;
  }

  Graph graph;
  Value x, w, gamma, beta, position, product, sum;
  int first_backward = 0;
};

}  // namespace phasor::test
