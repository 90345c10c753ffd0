#include "engine/train/state.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>

#include "tests/train/toy_model.h"

namespace phasor::test {
namespace {

// The toy model with three bodies.
Stages stages() {
  Stages all = toy_model();
  all[0].instances = 3;
  return all;
}

std::vector<float> numbers(std::int64_t count, float first) {
  std::vector<float> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

std::int64_t elements_of(const Stages& all, int stage, int variable) {
  return all[stage].graph.spec(all[stage].variables[variable].value).elements();
}

// Calls visit(stage, instance, variable, elements).
template <class Visit>
void for_each_variable(const Stages& all, Visit visit) {
  for (int s = 0; s < std::ssize(all); ++s)
    for (int n = 0; n < all[s].instances; ++n)
      for (int v = 0; v < std::ssize(all[s].variables); ++v) visit(s, n, v, elements_of(all, s, v));
}

TEST(State, CanonicalTensorsNameEveryPartOfEveryInstance) {
  const Stages all = stages();
  std::vector<std::string> texts;
  for (const CanonicalTensor& t : canonical_tensors(all)) {
    texts.push_back(fmt::format("{} {} at {}", t.name, to_string(t.shape), t.first_element));
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"toy.body.0.weight [3, 6] at 0", "toy.body.1.weight [3, 6] at 0",
                                             "toy.body.2.weight [3, 6] at 0", "toy.head.upper.weight [3, 4] at 0",
                                             "toy.head.lower.weight [3, 4] at 12", "toy.head.bias [4] at 0"}));
}

// Replicas and threshold: nothing sharded, all of it, the weights alone.
class StateTest : public ::testing::TestWithParam<std::tuple<int, std::int64_t>> {
 protected:
  const Stages all = stages();
  RemoteMemory memory{memory_store(), std::get<0>(GetParam())};
  ModelState state{all, memory, std::get<1>(GetParam())};
};

TEST_P(StateTest, GivesBackWhatWasWritten) {
  float next = 1;
  for_each_variable(all, [&](int s, int n, int v, std::int64_t count) {
    for (StateKind kind : kSavedStates) state.write(kind, s, n, v, numbers(count, next += 100));
  });
  next = 1;
  for_each_variable(all, [&](int s, int n, int v, std::int64_t count) {
    for (StateKind kind : kSavedStates) EXPECT_EQ(state.read(kind, s, n, v), numbers(count, next += 100));
  });
}

TEST_P(StateTest, ACanonicalTensorIsAPartOfItsVariable) {
  for_each_variable(all, [&](int s, int n, int v, std::int64_t count) {
    state.write(StateKind::weight, s, n, v, numbers(count, 1000));
  });
  for (const CanonicalTensor& t : canonical_tensors(all)) {
    const std::int64_t count = t.shape.elements();
    EXPECT_EQ(state.read(StateKind::weight, t), numbers(count, 1000 + static_cast<float>(t.first_element)));
    // Writing it leaves the rest of the variable alone.
    std::vector<float> expected = state.read(StateKind::weight, t.stage, t.instance, t.variable);
    state.write(StateKind::weight, t, numbers(count, -500));
    std::ranges::copy(numbers(count, -500), expected.begin() + t.first_element);
    EXPECT_EQ(state.read(StateKind::weight, t.stage, t.instance, t.variable), expected);
    state.write(StateKind::weight, t, numbers(count, 1000 + static_cast<float>(t.first_element)));
  }
}

// The same weights whatever their placement: as a function of the seed, alone, where nothing is sharded.
TEST_P(StateTest, InitialWeightsDoNotDependOnThePlacement) {
  RemoteMemory alone(memory_store(), 1);
  ModelState expected(all, alone, 0);
  expected.initialise(5);
  state.initialise(5);
  for_each_variable(all, [&](int s, int n, int v, std::int64_t) {
    EXPECT_EQ(state.read(StateKind::weight, s, n, v), expected.read(StateKind::weight, s, n, v));
  });
}

TEST_P(StateTest, InitialValuesAreTheInitialisers) {
  for_each_variable(all, [&](int s, int n, int v, std::int64_t count) {
    for (StateKind kind : kSavedStates) state.write(kind, s, n, v, numbers(count, 1));
  });
  state.initialise(5);
  EXPECT_EQ(state.read(StateKind::weight, 0, 1, 0), std::vector<float>(18, 1));
  EXPECT_EQ(state.read(StateKind::weight, 1, 0, 1), std::vector<float>(4, 0));
  const std::vector<float> normal = state.read(StateKind::weight, 1, 0, 0);
  EXPECT_TRUE(std::ranges::all_of(normal, [](float x) { return x != 0 && x >= -2 && x <= 2; }));
  EXPECT_EQ(state.read(StateKind::moment1, 1, 0, 0), std::vector<float>(24, 0));
  EXPECT_EQ(state.read(StateKind::moment2, 0, 2, 0), std::vector<float>(18, 0));
}

TEST_P(StateTest, RefusesAnotherNumberOfValues) {
  EXPECT_THROW(state.write(StateKind::weight, 0, 0, 0, numbers(17, 0)), InternalError);
  EXPECT_THROW(state.write(StateKind::weight, canonical_tensors(all)[0], numbers(19, 0)), InternalError);
}

INSTANTIATE_TEST_SUITE_P(All, StateTest,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4, 7), ::testing::Values(0, 10, 1000)));

// What progress is shown of: every element once, whether variables or parts of them are moved.
TEST(State, ObserversSeeEveryByteOnce) {
  const Stages all = stages();
  RemoteMemory memory(memory_store(), 2);
  ModelState state(all, memory, 8);
  state.initialise(1);
  std::int64_t seen = 0;
  state.observe([&](std::int64_t bytes) { seen += bytes; });
  const std::int64_t whole = 4 * count_parameters(all);
  for (const CanonicalTensor& tensor : canonical_tensors(all)) state.read(StateKind::moment1, tensor);
  EXPECT_EQ(seen, whole);
  for (const CanonicalTensor& tensor : canonical_tensors(all)) {
    state.write(StateKind::weight, tensor, numbers(tensor.shape.elements(), 0));
  }
  EXPECT_EQ(seen, 2 * whole);
  for_each_variable(all, [&](int s, int n, int v, std::int64_t elements) {
    state.write(StateKind::moment2, s, n, v, numbers(elements, 0));
    state.read(StateKind::moment2, s, n, v);
  });
  EXPECT_EQ(seen, 4 * whole);
  state.observe({});
  state.read(StateKind::weight, 0, 0, 0);
  EXPECT_EQ(seen, 4 * whole);
}

}  // namespace
}  // namespace phasor::test
