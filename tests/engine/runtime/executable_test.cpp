#include "engine/runtime/executable.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/ir/builder.h"
#include "tests/support/fast_executor.h"
#include "tests/support/inputs.h"
#include "tests/support/message.h"

namespace phasor::test {
namespace {

// Ten times x -> layer_norm(gelu(x w)) + x: room is shared, inputs are overwritten, the norm's results die at once.
Graph deep_graph() {
  Graph graph;
  Builder b(graph);
  const Value input = graph.add_input({DType::f32, {5, 8}}, "x"), w = graph.add_input({DType::f32, {8, 8}}, "w");
  const Value gamma = graph.add_input({DType::f32, {8}}, "gamma");
  Value x = input;
  for (int layer = 0; layer < 10; ++layer) {
    x = b.add(b.layer_norm(b.gelu(b.matmul(x, w)), gamma, gamma, {.eps = 1e-5f}).y, x);
  }
  graph.outputs = {x};
  return graph;
}

std::vector<Elements<float>> inputs_of(const Graph& graph) {
  std::vector<Elements<float>> inputs;
  for (Value input : graph.inputs) {
    inputs.emplace_back(graph.spec(input));
    const Floats values = uniform(inputs.size(), inputs.back().reals.size());
    inputs.back().reals.assign(values.begin(), values.end());
  }
  return inputs;
}

TEST(Executable, SharedRoomGivesTheSameBits) {
  const Graph graph = deep_graph();
  const auto shared = run_graph(graph, inputs_of(graph), 2),
             apart = run_graph(graph, inputs_of(graph), 2, Strategy::no_reuse);
  EXPECT_TRUE(shared == apart);
}

TEST(Executable, TakesTheRoomThatIsPlanned) {
  const Graph graph = deep_graph();
  for (Strategy strategy : {Strategy::best, Strategy::no_reuse}) {
    const Executable executable(graph, 2, strategy);
    EXPECT_EQ(executable.workspace_bytes(), plan_workspace(graph, 2, strategy).peak_bytes);
    EXPECT_GE(executable.workspace_bytes(), executable.workspace_lower_bound_bytes());
  }
  EXPECT_LT(Executable(graph, 2).workspace_bytes() * 5, Executable(graph, 2, Strategy::no_reuse).workspace_bytes());
}

TEST(Executable, RunsAgain) {
  const Graph graph = deep_graph();
  Executable executable(graph, 1);
  const AlignedBytes workspace = allocate_zeroed(executable.workspace_bytes());
  std::vector<Elements<float>> inputs = inputs_of(graph);
  const auto expected = run_graph(graph, inputs);
  Tensor y(graph.spec(graph.outputs[0]));
  std::vector<std::byte*> places;
  for (Elements<float>& input : inputs) places.push_back(bytes_of(input).data());
  places.push_back(static_cast<std::byte*>(y.view().data));
  for (int run = 0; run < 3; ++run) {
    executable.run(places, workspace.get());
    EXPECT_TRUE(std::ranges::equal(y.as<float>(), expected[0].reals)) << run;
  }
}

// An observer sees the inputs, then what each node makes, and later nodes read what it leaves there.
TEST(Executable, IsObserved) {
  struct Doubling : NodeObserver {
    void begin(const Graph& graph, std::span<const TensorView> inputs) override {
      EXPECT_EQ(inputs.size(), graph.inputs.size());
      seen.push_back(inputs[0].as<float>()[0]);
    }
    void made(const Graph& graph, const Node& node, std::span<const TensorView> outputs) override {
      EXPECT_EQ(&node, &graph.nodes[seen.size() - 1]);
      seen.push_back(outputs[0].as<float>()[0]);
      outputs[0].as<float>()[0] *= 2;
    }
    std::vector<float> seen;
  };
  Graph graph;
  Builder b(graph);
  const Value x = graph.add_input({DType::f32, {1}}, "x");
  graph.outputs = {b.add(b.add(x, x), x)};
  Executable executable(graph, 1);
  const AlignedBytes workspace = allocate_zeroed(executable.workspace_bytes());
  Tensor in(graph.spec(x)), out(graph.spec(x));
  in.as<float>()[0] = 1;
  std::byte* const places[] = {static_cast<std::byte*>(in.view().data), static_cast<std::byte*>(out.view().data)};
  Doubling observer;
  executable.run(places, workspace.get(), &observer);
  EXPECT_EQ(observer.seen, (std::vector<float>{1, 2, 5}));
  EXPECT_EQ(out.as<float>()[0], 10);
}

TEST(Executable, RefusesAnotherNumberOfTensors) {
  Executable executable(deep_graph(), 1);
  const std::vector<std::byte*> places(3);
  EXPECT_THROW(executable.run(places, nullptr), InternalError);
}

TEST(Executable, AnErrorNamesItsNode) {
  Graph graph;
  const Value table = graph.add_input({DType::f32, {4, 2}}, "table"), ids = graph.add_input({DType::i32, {1}}, "ids");
  Builder b(graph);
  graph.outputs = {b.gelu(b.embedding(table, ids))};
  std::vector<Elements<float>> inputs{Elements<float>(graph.spec(table)), Elements<float>(graph.spec(ids))};
  inputs[1].ids = {4};
  EXPECT_EQ(message_of<InternalError>([&] { run_graph(graph, inputs); }),
            "node 0, embedding(table %0.table: f32[4, 2], ids %1.ids: i32[1]): embedding: 1 of 1 ids are outside the "
            "table of 4 entries");
}

// A value has one place: as an input and an output, or as two outputs, it would need two.
TEST(Executable, RefusesOutputsThatAreNotItsOwnToWrite) {
  Graph graph;
  const Value x = graph.add_input({DType::f32, {4}}, "x");
  const Value y = Builder(graph).gelu(x);
  for (const std::vector<Value>& outputs : {std::vector{y, x}, std::vector{y, y}}) {
    graph.outputs = outputs;
    EXPECT_THROW(Executable(graph, 1), InternalError);
  }
}

}  // namespace
}  // namespace phasor::test
