// Where narrow programs run: in the room of the whole one.
#include <gtest/gtest.h>

#include "engine/program/execute/runner.h"
#include "tests/engine/program/small_program.h"

namespace phasor::test {
namespace {

// out = (a b) c. What is between them is [4, columns], of which the workspace has room for.
struct Chain {
  std::int64_t inner = 8, columns = 1, outer = 8;

  Graph graph() const {
    const auto matrix = [](std::int64_t rows, std::int64_t width) { return TensorSpec{DType::f32, {rows, width}}; };
    Graph graph;
    const Value a = graph.add_input(matrix(4, inner), "a"), b = graph.add_input(matrix(inner, columns), "b");
    const Value c = graph.add_input(matrix(columns, outer), "c");
    Builder builder(graph);
    graph.outputs = {builder.matmul(builder.matmul(a, b), c)};
    return graph;
  }

  Pipeline make() const {
    ProgramBuilder b("chain", 1);
    const Graph chain = graph();
    b.begin_phase("forward", 0, 1, Section::step);
    const auto turn = b.micro_batch(0);
    const auto slot = [&](const std::string& name, const TensorSpec& spec) {
      return b.slot({.name = name, .phase = "forward", .content = Content::activations, .bytes = spec.bytes()});
    };
    std::vector<SlotId> slots;
    for (const Value input : chain.inputs) {
      const BufferId buffer = b.buffer({chain[input].name, vector_spec(64), 1}, Origin::host);
      slots.push_back(slot(chain[input].name, chain.spec(input)));
      b.load({buffer, 0}, slots.back());
    }
    slots.push_back(slot("out", chain.spec(chain.outputs[0])));
    b.call(b.graph("chain", GraphKind::forward, chain), slots);
    b.store(slots.back(), {b.buffer({"out", vector_spec(64), 1}, Origin::program), 0});
    return Pipeline(b.finish());
  }
};

TEST(NarrowRunner, LeavesOutWhatWouldNeedMoreRoom) {
  const Chain whole, small{.inner = 2, .outer = 2}, wide{.inner = 1, .columns = 8, .outer = 1};
  Machine machine(memory_store(), 1, 1);
  Runner runner(whole.make(), machine, Strategy::best,
                {{.tokens = 2, .pipeline = wide.make()}, {.tokens = 3, .pipeline = small.make()}});
  EXPECT_EQ(runner.width_of(1), 1);
  EXPECT_EQ(runner.width_of(3), 1);
  EXPECT_EQ(runner.width_of(4), 0);
}

// A narrow program reads the beginnings of rows and writes as much.
TEST(NarrowRunner, TouchesNoMoreThanItsOwn) {
  const Chain whole, small{.inner = 2, .outer = 2};
  Machine machine(memory_store(), 1, 1);
  Runner runner(whole.make(), machine, Strategy::best, {{.tokens = 3, .pipeline = small.make()}});
  std::vector<float> ones(64, 1), threes(64, 3), out(64);
  for (const char* input : {"a", "b", "c"}) machine.memory[input].store(0, 0, std::span<const float>(ones));
  machine.memory["out"].store(0, 0, std::span<const float>(threes));
  runner.run_steps(std::vector<int>{1}, std::vector<int>{1});
  machine.memory["out"].load(0, 0, std::span(out));
  std::vector<float> expected(64, 3);
  std::fill_n(expected.begin(), 8, 2.0f);
  EXPECT_EQ(out, expected);
  runner.run_steps(std::vector<int>{1}, std::vector<int>{0});
  machine.memory["out"].load(0, 0, std::span(out));
  std::fill_n(expected.begin(), 32, 8.0f);
  EXPECT_EQ(out, expected);
  EXPECT_EQ(runner.high_water_bytes(), runner.plan().peak_bytes);
}

TEST(NarrowRunner, KnowsItsWidths) {
  Machine machine(memory_store(), 1, 1);
  Runner runner(Chain{}.make(), machine);
  EXPECT_EQ(runner.width_of(1), 0);
  EXPECT_THROW(runner.run_steps(std::vector<int>{1}, std::vector<int>{1}), InternalError);
  EXPECT_THROW(runner.run_steps(std::vector<int>{1}, std::vector<int>{0, 0}), InternalError);
}

}  // namespace
}  // namespace phasor::test
