// What inspect says of tensors whose numbers are known.
#include "models/checkpoint/summary.h"

#include <gtest/gtest.h>
#include <limits>

#include "engine/ir/stage_builder.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

using phasor::test::Medium;
using phasor::test::TemporaryFolder;

class CheckpointSummary : public ::testing::Test {
 protected:
  CheckpointSummary() { state_.initialise(1); }

  void set(StateKind kind, const std::vector<float>& values) { state_.write(kind, 0, 0, 0, values); }
  std::string save(const std::string& name) const {
    save_checkpoint(folder_.file(name), stages_, state_, {.step = 3});
    return folder_.file(name);
  }

  TemporaryFolder folder_{Medium::memory};
  Stages stages_ = one_variable();
  RemoteMemory memory_{memory_store(), 1};
  ModelState state_{stages_, memory_, 0};

 private:
  static Stages one_variable() {
    Stage stage{.name = "stage", .prefix = "model."};
    StageBuilder(stage).variable("w", {2, 2}, {}, true);
    return {stage};
  }
};

TEST_F(CheckpointSummary, TellsNormsAndLargestMagnitudes) {
  set(StateKind::weight, {1, -4, 2, 2});
  set(StateKind::moment2, {0, 0.5f, 0, 0});
  const std::vector<TensorSummary> tensors = summarise_tensors(save("checkpoint.h5"));
  ASSERT_EQ(tensors.size(), 3U);  // by name
  EXPECT_EQ(tensors[0].name, "/moment1/model.w");
  EXPECT_EQ(tensors[0].norm, 0);
  EXPECT_EQ(tensors[1].name, "/moment2/model.w");
  EXPECT_EQ(tensors[1].norm, 0.5);
  EXPECT_EQ(tensors[2].name, "/weight/model.w");
  EXPECT_EQ(tensors[2].shape, (Shape{2, 2}));
  EXPECT_EQ(tensors[2].norm, 5);  // of 1 + 16 + 4 + 4
  EXPECT_EQ(tensors[2].largest, 4);
  EXPECT_EQ(tensors[2].not_finite, 0);
}

TEST_F(CheckpointSummary, CountsWhatIsNotFinite) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  set(StateKind::weight, {1, infinity, nan, -infinity});
  EXPECT_EQ(summarise_tensors(save("checkpoint.h5"))[2].not_finite, 3);
}

TEST_F(CheckpointSummary, NamesTheLargestDifference) {
  set(StateKind::weight, {1, 2, 3, 4});
  const std::string before = save("before.h5");
  EXPECT_TRUE(compare_checkpoints(before, before).empty());
  set(StateKind::weight, {1, 2.25f, 3, 3.5f});
  const std::vector<Difference> differences = compare_checkpoints(before, save("after.h5"));
  ASSERT_EQ(differences.size(), 1U);
  EXPECT_EQ(differences[0].name, "/weight/model.w");
  EXPECT_EQ(differences[0].largest, 0.5);
  EXPECT_EQ(differences[0].facts, "2 of 4 elements, the largest difference is 0.5: element 3 is 4 and 3.5");
}

}  // namespace
}  // namespace phasor::run
