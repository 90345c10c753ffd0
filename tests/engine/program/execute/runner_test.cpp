// Small programs run as they read. All numbers are small integers, whose sums are exact.
#include "engine/program/execute/runner.h"

#include <array>
#include <atomic>
#include <gtest/gtest.h>

#include "tests/engine/program/small_program.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::test {
namespace {

using Row = std::vector<float>;

Row load(Machine& machine, const std::string& buffer, int replica, std::int64_t elements) {
  Row row(static_cast<std::size_t>(elements));
  machine.memory[buffer].load(replica, 0, std::span(row));
  return row;
}

// numbers[i] = scale * replica + i
Row numbers(int replica, float scale, std::int64_t elements) {
  Row row;
  for (std::int64_t i = 0; i < elements; ++i) {
    row.push_back(scale * static_cast<float>(replica) + static_cast<float>(i));
  }
  return row;
}

class RunnerTest : public ::testing::TestWithParam<std::tuple<int, Strategy, bool>> {
 protected:
  int replicas() const { return std::get<0>(GetParam()); }
  Strategy strategy() const { return std::get<1>(GetParam()); }
  Machine make_machine() {
    return {std::get<2>(GetParam()) ? file_store(folder_.path()) : memory_store(), replicas(), 2};
  }

  TemporaryFolder folder_;
};

TEST_P(RunnerTest, TheSmallProgram) {
  Machine machine = make_machine();
  Runner runner(small_program(replicas()), machine, strategy());
  const std::int64_t whole = kPart * replicas();
  Row weights, sum_of_batches(static_cast<std::size_t>(whole));
  for (int r = 0; r < replicas(); ++r) {
    const Row part = numbers(r, 10, kPart), batch = numbers(r, 1000, whole);
    machine.memory["weights"].store(r, 0, std::span(part));
    machine.memory["batch"].store(r, 0, std::span(batch));
    weights.insert(weights.end(), part.begin(), part.end());
    for (std::size_t i = 0; i < batch.size(); ++i) sum_of_batches[i] += batch[i];
  }
  for (int step = 0; step < 3; ++step) {
    runner.run(Section::step);
    // Each replica adds the weights and its batch to the sum.
    for (std::size_t i = 0; i < weights.size(); ++i) {
      weights[i] += static_cast<float>(replicas()) * weights[i] + sum_of_batches[i];
    }
    for (int r = 0; r < replicas(); ++r) {
      EXPECT_EQ(load(machine, "weights", r, kPart),
                Row(weights.begin() + r * kPart, weights.begin() + (r + 1) * kPart));
    }
  }
  EXPECT_EQ(runner.high_water_bytes(), runner.plan().peak_bytes);
}

TEST_P(RunnerTest, TheResidentProgram) {
  Machine machine = make_machine();
  Runner runner(resident_program(replicas()), machine, strategy());
  Row expected = numbers(0, 0, kPart);
  for (int r = 0; r < replicas(); ++r) {
    const Row total = expected, batch = numbers(r, 100, kPart);
    machine.memory["total"].store(r, 0, std::span(total));
    machine.memory["batch"].store(r, 0, std::span(batch));
  }
  runner.run(Section::begin);
  for (int step = 0; step < 3; ++step) {
    runner.run(Section::step);
    for (int r = 0; r < replicas(); ++r) {
      const Row batch = numbers(r, 100, kPart);
      for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += batch[i];
    }
  }
  EXPECT_EQ(load(machine, "total", 0, kPart), numbers(0, 0, kPart));  // the sum is still on the device
  runner.run(Section::end);
  for (int r = 0; r < replicas(); ++r) EXPECT_EQ(load(machine, "total", r, kPart), expected);
  EXPECT_EQ(runner.high_water_bytes(), runner.plan().peak_bytes);
}

INSTANTIATE_TEST_SUITE_P(All, RunnerTest,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4),
                                            ::testing::Values(Strategy::best, Strategy::no_reuse), ::testing::Bool()));

// What fails names the phase and the node, and the replicas that did not fail come back too.
TEST(Runner, AnErrorNamesItsPhase) {
  for (int replicas : {1, 3}) {
    Graph graph;
    const Value logits = graph.add_input({DType::f32, {1, 4}}, "logits");
    const Value labels = graph.add_input({DType::i32, {1}}, "labels"), weights = graph.add_input(vector_spec(1), "w");
    graph.outputs = {Builder(graph).cross_entropy(logits, labels, weights)};
    ProgramBuilder b("test", replicas);
    const BufferId label = b.buffer({"label", {DType::i32, {1}}, 1}, Origin::host);
    const BufferId weight = b.buffer({"weight", vector_spec(1), 1}, Origin::host);
    const SlotId x = b.slot({.name = "x", .bytes = 16}), y = b.slot({.name = "y", .bytes = 4}),
                 w = b.slot({.name = "w", .bytes = 4}), loss = b.slot({.name = "loss", .bytes = 4});
    b.begin_phase("head", 2, 3, Section::step);
    b.zero(x);
    b.load({label, 0}, y);
    b.load({weight, 0}, w);
    b.call(b.graph("loss", GraphKind::forward, graph), {x, y, w, loss});
    b.all_reduce(loss);

    Machine machine(memory_store(), replicas, 1);
    Runner runner(b.finish(), machine);
    for (int r = 0; r < replicas; ++r) {
      const std::array<std::int32_t, 1> value{r == replicas - 1 ? 4 : 0};  // there are labels 0 to 3
      const std::array<float, 1> one{1};
      machine.memory["label"].store(r, 0, std::span(value));
      machine.memory["weight"].store(r, 0, std::span(one));
    }
    try {
      runner.run(Section::step);
      FAIL() << "no error";
    } catch (const InternalError& error) {
      EXPECT_TRUE(std::string(error.what())
                      .starts_with("phase 'head' instance 2, graph 'loss': node 0, cross_entropy(logits %0.logits: "
                                   "f32[1, 4], labels %1.labels: i32[1], weights %2.w: f32[1]): "))
          << error.what();
      EXPECT_EQ(std::string(error.what()).find("another replica"), std::string::npos) << error.what();
    }
  }
}

// Memory that fails to load row 1 of anything as often as it is told to.
class FailingStore : public Store {
 public:
  explicit FailingStore(std::atomic<int>& failures) : failures_(failures) {}
  Region create(const std::string& name, std::int64_t bytes) override { return memory_->create(name, bytes); }
  void read(Region region, std::int64_t offset, std::span<std::byte> to) const override {
    check(offset != static_cast<std::int64_t>(to.size()) || failures_-- <= 0, "the disk is gone");
    memory_->read(region, offset, to);
  }
  void write(Region region, std::int64_t offset, std::span<const std::byte> from) override {
    memory_->write(region, offset, from);
  }

 private:
  std::atomic<int>& failures_;
  std::unique_ptr<Store> memory_ = memory_store();
};

// An error of a transfer under way comes out of the run, the others end before the run does, and the next run works.
TEST(Runner, AnErrorOfATransferUnderWay) {
  ProgramBuilder b("test", 1);
  const BufferId batch = b.buffer({"batch", vector_spec(kPart), 3}, Origin::host);
  const BufferId out = b.buffer({"out", vector_spec(kPart), 3}, Origin::program);
  const SlotId slots[] = {b.slot({.name = "a", .bytes = 16}), b.slot({.name = "b", .bytes = 16}),
                          b.slot({.name = "c", .bytes = 16})};
  b.begin_phase("copy", 0, 1, Section::step);
  for (int row : {0, 1, 2}) b.issue_load({batch, row}, slots[row]);
  for (int row : {0, 1, 2}) {
    b.wait(slots[row]);
    b.issue_store(slots[row], {out, row});
  }
  for (SlotId slot : slots) b.wait(slot);

  std::atomic<int> failures = 1;
  Machine machine(std::make_unique<FailingStore>(failures), 1, 1);
  Runner runner(b.finish(), machine);
  const Row row = numbers(0, 0, kPart);
  for (int r : {0, 1, 2}) machine.memory["batch"].store(0, r, std::span(row));
  EXPECT_EQ(message_of([&] { runner.run(Section::step); }), "phase 'copy' instance 0: the disk is gone");
  runner.run(Section::step);
  EXPECT_EQ(load(machine, "out", 0, kPart), row);
}

}  // namespace
}  // namespace phasor::test
