#include "engine/transform/extract.h"

#include <gtest/gtest.h>

#include "engine/ir/builder.h"
#include "engine/ir/printer.h"
#include "engine/ir/verifier.h"
#include "tests/engine/transform/matrix.h"

namespace phasor::test {
namespace {

// z = gelu(x w) + b, with something beside it that nobody wants.
struct ExtractExample {
  ExtractExample() {
    Builder builder(graph);
    x = graph.add_input(kMatrix, "x");
    w = graph.add_input(kMatrix, "w");
    b = graph.add_input({DType::f32, {3}}, "b");
    product = builder.matmul(x, w);
    builder.transpose(product);
    active = builder.gelu(product);
    z = builder.add(active, b);
  }
  Graph graph;
  Value x, w, b, product, active, z;
};

TEST(Extract, DeadCodeGoes) {
  const ExtractExample e;
  const std::vector<Value> available{e.x, e.w, e.b}, wanted{e.active};
  const Extracted part = extract(e.graph, available, wanted);
  verify(part.graph);
  EXPECT_EQ(to_string(part.graph),
            "inputs  %0.x: f32[3, 3], %1.w: f32[3, 3]\n"
            "  %2: f32[3, 3] = matmul(%0.x, %1.w)\n"
            "  %3: f32[3, 3] = gelu(%2)\n"
            "outputs %3\n");
  EXPECT_EQ(part.inputs, (std::vector{e.x, e.w}));
}

// Values that are given are not computed, and inputs stand in the order in which they are offered.
TEST(Extract, IntermediatesBecomeInputs) {
  const ExtractExample e;
  const std::vector<Value> available{e.b, e.product, e.x, e.w}, wanted{e.z, e.product};
  const Extracted part = extract(e.graph, available, wanted);
  verify(part.graph);
  EXPECT_EQ(to_string(part.graph),
            "inputs  %0.b: f32[3], %1: f32[3, 3]\n"
            "  %2: f32[3, 3] = gelu(%1)\n"
            "  %3: f32[3, 3] = add(%2, %0.b)\n"
            "outputs %3, %1\n");
  EXPECT_EQ(part.inputs, (std::vector{e.b, e.product}));
}

// One output of a node may be given while another has to be computed.
TEST(Extract, ANodeWhoseOutputsAreGivenInPart) {
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input(kMatrix, "x"), gamma = graph.add_input({DType::f32, {3}}, "gamma");
  const auto [y, mean, rstd] = b.layer_norm(x, gamma, gamma, {.eps = 1});
  const Value z = b.gelu(y);
  const std::vector<Value> available{x, gamma, y}, wanted{z, rstd};
  const Extracted part = extract(graph, available, wanted);
  verify(part.graph);
  EXPECT_EQ(part.inputs, available);
  EXPECT_EQ(part.graph.nodes[1].inputs, (std::vector{part.graph.inputs[2]}));  // the y that is given
}

TEST(Extract, RefusesWhatCannotBeComputed) {
  const ExtractExample e;
  const std::vector<Value> wanted{e.z};
  for (const std::vector<Value>& available : {std::vector<Value>{}, std::vector{e.x, e.w}, std::vector{e.active}}) {
    EXPECT_THROW(extract(e.graph, available, wanted), InternalError);
  }
  EXPECT_THROW(extract(e.graph, {}, std::vector{e.x}), InternalError);
}

}  // namespace
}  // namespace phasor::test
