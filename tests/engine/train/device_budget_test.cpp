#include "engine/train/device_budget.h"

#include <gtest/gtest.h>

#include "engine/base/error.h"

namespace phasor::test {
namespace {

ExecutionOptions limited(std::int64_t device_memory) { return {.device_memory = device_memory}; }

TEST(DeviceBudget, RefusesWhatDoesNotFit) {
  ProgramPlan plan;
  plan.peak_bytes = 3 << 20;
  EXPECT_NO_THROW(check_budget({&plan, 1}, limited(3 << 20)));
  EXPECT_NO_THROW(check_budget({&plan, 1}, limited(0)));
  try {
    check_budget({&plan, 1}, limited((3 << 20) - 1));
    FAIL() << "was not refused";
  } catch (const UserError& error) {
    EXPECT_NE(std::string(error.what()).find("takes 3.0 MiB"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace phasor::test
