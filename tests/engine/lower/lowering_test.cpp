#include "engine/lower/lowering.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <set>

#include "engine/program/check/checker.h"
#include "engine/program/printer.h"
#include "tests/engine/train/toy_model.h"

namespace phasor::test {
namespace {

// Every combination of options gives a sound program.
TEST(Lowering, AllProgramsAreSound) {
  for (Mode mode : {Mode::phased, Mode::monolithic})
    for (Recompute recompute : {Recompute::none, Recompute::layer})
      for (bool reproducible : {false, true})
        for (float max_norm : {0.0f, 1.0f})
          for (int replicas : {1, 2, 3})
            for (int accumulation : {1, 2, 3, 6, 8}) {
              const ExecutionOptions execution{.mode = mode,
                                               .replicas = replicas,
                                               .accumulation = accumulation,
                                               .rts_threshold = 10,
                                               .recompute = recompute,
                                               .reproducible = reproducible,
                                               .prefetch_depth = (replicas + accumulation) % 4,
                                               .loop_overlap = (replicas + accumulation) % 4};
              check_program(lower_training(toy_model(), {.max_grad_norm = max_norm}, execution));
            }
}

// y = x + bias: the gradient of x is that of y, one value that comes in and goes out.
TEST(Lowering, AGradientThatPassesThrough) {
  Stage stage;
  stage.name = "shift";
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {kToySamples, kToyHidden}});
  b.activation_out(b.add(x, b.variable("bias", {kToyHidden}, {}, false)));
  for (Mode mode : {Mode::phased, Mode::monolithic}) {
    check_program(lower_training({toy_body(), stage, toy_head()}, {}, {.mode = mode}));
  }
}

// Nobody reads a gradient twice nor, where there are none, an activation: however many stages there are, two rows take
// turns.
TEST(Lowering, ActivationsTakeTurnsWhereNoneIsReadAgain) {
  Stage stage;
  stage.name = "shift";
  stage.instances = 5;
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {kToySamples, kToyHidden}});
  b.activation_out(b.add(x, b.variable("bias", {kToyHidden}, {}, false)));
  const Stages stages{toy_body(), stage, toy_head()};
  const auto rows_of = [](const Program& program, const std::string& buffer) {
    return std::ranges::find(program.buffers, buffer, [](const Buffer& held) { return held.spec.name; })->spec.rows;
  };
  const Program training = lower_training(stages, {}, {.accumulation = 3});
  EXPECT_EQ(rows_of(training, "train.x"), 6 * 3);
  EXPECT_EQ(rows_of(training, "train.dx"), 2 * 3);
  for (const int ahead : {0, 1, 3}) {
    const Program program =
        lower_inference(stages, {.accumulation = 3, .prefetch_depth = ahead, .loop_overlap = ahead});
    check_program(program);
    EXPECT_EQ(rows_of(program, "infer.x"), 2 * 3);
    for (std::size_t i = 0; i < program.phases.size(); ++i) {  // no stage overwrites what it reads
      std::set<std::int32_t> read, written;
      for (int number = program.phases[i].first_step; number < program.phases[i].end_step; ++number) {
        const Step step = program.steps[number];
        if (!is_transfer(step) || program.buffers[step.buffer].spec.name != "infer.x") continue;
        if (step.kind == StepKind::store) written.insert(step.row);
        if (step.kind == StepKind::load && !step.issues) read.insert(step.row);
      }
      for (const std::int32_t row : read) EXPECT_FALSE(written.contains(row)) << program.phases[i].name;
    }
  }
}

// However large a variable, its update takes a bounded number of steps of the program.
TEST(Lowering, SlicesOfAVeryLargeVariableAreLonger) {
  Stage stage;
  stage.name = "wide";
  StageBuilder b(stage);
  const Value x = b.activation_in({DType::f32, {kToySamples, kToyHidden}});
  const Value up = b.variable("up", {kToyHidden, 300}, {}, true);
  const Value down = b.variable("down", {300, kToyHidden}, {}, true);
  b.activation_out(b.matmul(b.matmul(x, up), down));
  const Program program = lower_training({toy_body(), stage, toy_head()}, {}, {.update_slice = 1});
  check_program(program);
  int most = 0;
  for (const Step& step : program.steps) most = std::max(most, step.turn + 1);
  EXPECT_EQ(most, 225);  // 1,800 elements, 8 at a time
}

// Each pass goes on where the one before has stopped.
TEST(Lowering, PassesFollowOneAnother) {
  Lowering lowering{.stages = toy_model()};
  std::vector<PassRecord> records = run_passes(stage_passes(), lowering);
  for (const PassRecord& record : run_passes(training_passes(), lowering)) records.push_back(record);
  ASSERT_GT(records.size(), 2U);
  for (std::size_t i = 1; i < records.size(); ++i) EXPECT_EQ(records[i].before, records[i - 1].after) << i;
  EXPECT_EQ(records.front().before.graphs, 2);
  EXPECT_EQ(records.back().after.steps, static_cast<std::int64_t>(lowering.pipeline.first().steps.size()));
  const Program program = lower_training(prepare_stages(toy_model(), Precision::float32), {}, {});
  EXPECT_EQ(to_string(lowering.pipeline.first()), to_string(program));
}

// What a pass damages is found behind it.
TEST(Lowering, EveryPassIsVerified) {
  const auto expect_found = [](Pass damage, std::span<const Pass> passes) {
    Lowering lowering{.stages = prepare_stages(toy_model(), Precision::float32)};
    run_passes(passes, lowering);
    EXPECT_THROW(run_passes(std::span(&damage, 1), lowering), InternalError) << damage.name;
  };
  expect_found({"of a stage", [](Lowering& l) { l.stages[0].graph.nodes[0].inputs.clear(); }}, {});
  expect_found({"of a unit", [](Lowering& l) { l.units[1].keeping.gradient.graph.nodes[0].inputs.clear(); }},
               training_passes().first(2));
  expect_found({"of a program", [](Lowering& l) { l.pipeline.devices[0].steps.erase(0); }}, training_passes());
}

TEST(Lowering, RefusesAModelWithoutLoss) {
  const Stages stages{toy_body()};
  EXPECT_THROW(lower_training(stages, {}, {}), InternalError);
}

}  // namespace
}  // namespace phasor::test
