#include "engine/train/device_budget.h"

#include <gtest/gtest.h>

#include "engine/lower/lowering.h"
#include "tests/engine/train/toy_model.h"

namespace phasor::test {
namespace {

ExecutionOptions automatic(std::int64_t device_memory) {
  return {.accumulation = 2, .recompute = Recompute::automatic, .device_memory = device_memory};
}

std::int64_t peak_with(Recompute recompute) {
  ExecutionOptions execution = automatic(0);
  execution.recompute = recompute;
  return plan_program(lower_training(toy_model(), {}, execution), 1).peak_bytes;
}

TEST(DeviceBudget, KeepsActivationsWhileTheyFit) {
  const std::int64_t keeping = peak_with(Recompute::none);
  const auto chosen = [](std::int64_t device_memory) {
    return choose_recompute(toy_model(), {}, automatic(device_memory)).recompute;
  };
  EXPECT_EQ(chosen(0), Recompute::none);
  EXPECT_EQ(chosen(keeping), Recompute::none);
  EXPECT_EQ(chosen(keeping - 1), Recompute::layer);
}

TEST(DeviceBudget, LeavesAChoiceThatWasMade) {
  ExecutionOptions execution = automatic(1);
  execution.recompute = Recompute::none;
  EXPECT_EQ(choose_recompute(toy_model(), {}, execution).recompute, Recompute::none);
}

TEST(DeviceBudget, RefusesWhatDoesNotFit) {
  ProgramPlan plan;
  plan.peak_bytes = 3 << 20;
  EXPECT_NO_THROW(check_budget(plan, automatic(3 << 20)));
  EXPECT_NO_THROW(check_budget(plan, automatic(0)));
  try {
    check_budget(plan, automatic((3 << 20) - 1));
    FAIL() << "was not refused";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("takes 3.0 MiB"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace phasor::test
