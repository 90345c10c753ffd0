#include "engine/train/state.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

#include "engine/base/random.h"
#include "tests/engine/train/toy_model.h"

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

TEST_P(StateTest, PartsOfACanonicalTensor) {
  for_each_variable(all, [&](int s, int n, int v, std::int64_t count) {
    for (StateKind kind : kSavedStates) state.write(kind, s, n, v, numbers(count, static_cast<float>(kind) * 1000));
  });
  for (const CanonicalTensor& t : canonical_tensors(all)) {
    for (StateKind kind : kSavedStates) {
      const float begin = static_cast<float>(kind) * 1000 + static_cast<float>(t.first_element);
      for (std::int64_t first = 0; first < t.shape.elements(); ++first) {
        for (std::int64_t count = 0; first + count <= t.shape.elements(); ++count) {
          std::vector<float> part(static_cast<std::size_t>(count));
          state.read_part(kind, t, first, part);
          ASSERT_EQ(part, numbers(count, begin + static_cast<float>(first))) << t.name << ' ' << first << ' ' << count;
        }
      }
    }
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

// Those of the function of its name: of streams in the order of variables.
TEST(InitialWeights, NormalOnesAreNotCut) {
  Stage stage{.name = "table", .prefix = "table."};
  StageBuilder b(stage);
  b.variable("first", {2}, {.kind = Initialiser::Kind::zeros}, true);
  b.variable("table", {30, 50}, {.kind = Initialiser::Kind::normal, .deviation = 0.5f}, true);
  const Stages model{stage};
  RemoteMemory memory(memory_store(), 1);
  ModelState state(model, memory, 0);
  state.initialise(5);
  const std::vector<float> values = state.read(StateKind::weight, 0, 0, 1);
  std::vector<float> expected(values.size());
  fill_normal(5, 1, 0.5f, expected);
  EXPECT_EQ(values, expected);
  EXPECT_GT(std::ranges::max(values), 2 * 0.5f);
}

// Tables of one shape: within a stage, in its instances, and in another stage.
TEST(InitialWeights, NoTwoVariablesAreAlike) {
  const Initialiser normal{.kind = Initialiser::Kind::truncated_normal, .deviation = 1};
  Stage stage{.name = "tables", .instances = 2, .prefix = "tables.{}."};
  for (const char* name : {"left", "right"}) StageBuilder(stage).variable(name, {3, 5}, normal, true);
  Stages model{stage, stage};
  model[1].name = "more tables";
  RemoteMemory memory(memory_store(), 1);
  ModelState state(model, memory, 0);
  state.initialise(5);
  std::set<std::vector<float>> seen;
  for_each_variable(model, [&](int s, int n, int v, std::int64_t) {
    EXPECT_TRUE(seen.insert(state.read(StateKind::weight, s, n, v)).second) << s << ' ' << n << ' ' << v;
  });
  EXPECT_EQ(seen.size(), 8U);
  // Nor is one of another seed.
  state.initialise(6);
  EXPECT_FALSE(seen.contains(state.read(StateKind::weight, 0, 0, 0)));
}

// A table in three slices of two rows, of which the last is padded if there are five rows, and the toy's body.
Stages sliced_model(std::int64_t rows) {
  Stage stage;
  stage.name = "table";
  stage.prefix = "toy.";
  stage.instances = 3;
  stage.sliced_rows = rows;
  StageBuilder(stage).variable("table", {2, 4}, {.kind = Initialiser::Kind::truncated_normal, .deviation = 1}, true);
  return {stage, toy_body()};
}

// The same as one table.
Stages unsliced_model(std::int64_t rows) {
  Stages all = sliced_model(0);
  all[0].instances = 1;
  Stage stage{.name = all[0].name, .prefix = all[0].prefix};
  StageBuilder(stage).variable("table", {rows, 4}, {.kind = Initialiser::Kind::truncated_normal, .deviation = 1}, true);
  all[0] = stage;
  return all;
}

TEST_P(StateTest, SlicesAreOneCanonicalTensor) {
  for (std::int64_t rows : {5, 6}) {
    const Stages model = sliced_model(rows), expected = unsliced_model(rows);
    RemoteMemory slices_memory(memory_store(), std::get<0>(GetParam())), alone(memory_store(), 1);
    ModelState slices(model, slices_memory, std::get<1>(GetParam())), whole(expected, alone, 0);
    slices.initialise(5);
    whole.initialise(5);
    const auto tensors = canonical_tensors(model), of_whole = canonical_tensors(expected);
    ASSERT_EQ(tensors.size(), of_whole.size());
    for (std::size_t i = 0; i < tensors.size(); ++i) {
      EXPECT_EQ(tensors[i].name, of_whole[i].name);
      EXPECT_EQ(tensors[i].shape, of_whole[i].shape);
      EXPECT_EQ(slices.read(StateKind::weight, tensors[i]), whole.read(StateKind::weight, of_whole[i]));
    }
    const std::vector<float> written = numbers(rows * 4, 1);
    slices.write(StateKind::moment2, tensors[0], written);
    EXPECT_EQ(slices.read(StateKind::moment2, tensors[0]), written);
    EXPECT_EQ(slices.read(StateKind::moment2, 0, 1, 0), numbers(8, 9));
    // The padding is zero and stays so.
    const std::vector<float> last = slices.read(StateKind::moment2, 0, 2, 0);
    EXPECT_EQ(std::vector<float>(last.begin() + 4 * (rows - 4), last.end()), std::vector<float>(4 * (6 - rows), 0));
  }
}

TEST_P(StateTest, RefusesAnotherNumberOfValues) {
  EXPECT_THROW(state.write(StateKind::weight, 0, 0, 0, numbers(17, 0)), InternalError);
  EXPECT_THROW(state.write(StateKind::weight, canonical_tensors(all)[0], numbers(19, 0)), InternalError);
}

INSTANTIATE_TEST_SUITE_P(All, StateTest,
                         ::testing::Combine(::testing::Values(1, 2, 3, 4, 7), ::testing::Values(0, 10, 1000)));

}  // namespace
}  // namespace phasor::test
