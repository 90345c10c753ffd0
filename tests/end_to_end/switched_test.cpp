// A checkpoint adds nothing to a change of execution: a run that goes on from the file ends with the bits of one whose
// state went from the one layout to the other in memory.
#include <gtest/gtest.h>

#include "models/checkpoint/checkpoint.h"
#include "tests/support/pairwise.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/training_run.h"

namespace phasor::test {
namespace {

using test::first_difference;
using test::pairwise;
using test::run_training;
using test::RunOptions;
using test::RunResult;

struct SwitchLayout {
  Mode mode;
  int replicas;
  bool operator==(const SwitchLayout&) const = default;
};
using SwitchCase = std::tuple<Mode, int, Mode, int, Precision>;  // mode and replicas before, and after

SwitchLayout layout_before(const SwitchCase& c) { return {std::get<0>(c), std::get<1>(c)}; }
SwitchLayout layout_after(const SwitchCase& c) { return {std::get<2>(c), std::get<3>(c)}; }

class Switched : public ::testing::TestWithParam<SwitchCase> {};

constexpr int kStepsBefore = 2, kStepsAfter = 2;

// Not `reproducible`: the number of replicas shows in the sums, and so it would in the state if it were mixed up.
RunOptions switch_options(const SwitchLayout& layout, Precision precision) {
  RunOptions options;
  options.execution = {.mode = layout.mode,
                       .replicas = layout.replicas,
                       .accumulation = 4 / layout.replicas,
                       .rts_threshold = 100,
                       .precision = precision};
  options.optimizer.max_grad_norm = 0.5f;
  return options;
}

TEST_P(Switched, ByAFileAsInMemory) {
  const SwitchLayout before = layout_before(GetParam()), after = layout_after(GetParam());
  const Precision precision = std::get<Precision>(GetParam());
  const TemporaryFolder folder;
  const std::string path = folder.file("checkpoint.h5");
  RunOptions first = switch_options(before, precision);
  first.steps = kStepsBefore;
  first.finish = [&](const Stages& stages, const ModelState& state) {
    run::save_checkpoint(path, stages, state, {.step = kStepsBefore});
  };
  const RunResult half = run_training(first);

  RunOptions second = switch_options(after, precision);
  second.first_step = kStepsBefore;
  second.steps = kStepsAfter;
  second.start = [&](const Stages& stages, ModelState& state) {
    std::size_t next = 0;  // in the order in which the run lists its state
    for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
      for (StateKind kind : kSavedStates) state.write(kind, tensor, half.state[next++]);
    }
  };
  const RunResult in_memory = run_training(second);
  second.start = [&](const Stages& stages, ModelState& state) { run::load_checkpoint(path, stages, state); };
  EXPECT_EQ(first_difference(run_training(second), in_memory), "");

  if (before != after) return;
  RunOptions straight = switch_options(before, precision);
  straight.steps = kStepsBefore + kStepsAfter;
  RunResult expected = run_training(straight);
  expected.losses.erase(expected.losses.begin(), expected.losses.begin() + kStepsBefore);
  EXPECT_EQ(first_difference(in_memory, expected), "");
}

std::string name_of_switch(const ::testing::TestParamInfo<SwitchCase>& info) {
  const auto name = [](const SwitchLayout& layout) {
    return fmt::format("{}_on_{}", layout.mode == Mode::phased ? "phased" : "monolithic", layout.replicas);
  };
  return fmt::format("{}_to_{}_{}", name(layout_before(info.param)), name(layout_after(info.param)),
                     std::get<Precision>(info.param) == Precision::bfloat16 ? "bfloat16" : "float32");
}

INSTANTIATE_TEST_SUITE_P(Pairs, Switched,
                         ::testing::ValuesIn(pairwise<Mode, int, Mode, int, Precision>(
                             {Mode::phased, Mode::monolithic}, {1, 2, 4}, {Mode::phased, Mode::monolithic}, {1, 2, 4},
                             {Precision::float32, Precision::bfloat16})),
                         name_of_switch);

// As it was: these are compared with a straight run, too.
INSTANTIATE_TEST_SUITE_P(Same, Switched,
                         ::testing::Values(SwitchCase{Mode::phased, 2, Mode::phased, 2, Precision::float32},
                                           SwitchCase{Mode::monolithic, 4, Mode::monolithic, 4, Precision::bfloat16}),
                         name_of_switch);

}  // namespace
}  // namespace phasor::test
