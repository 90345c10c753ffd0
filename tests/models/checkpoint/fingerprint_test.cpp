// The fingerprint of a state tells states apart, and nothing about where they lie.
#include "models/checkpoint/fingerprint.h"

#include <cmath>
#include <gtest/gtest.h>

#include "models/bert/stages.h"
#include "models/checkpoint/checkpoint.h"
#include "models/checkpoint/fingerprinter.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace fingerprints {
namespace {

Stages small_model(std::int64_t slices = 1) {
  return bert::training_stages({.layers = 2,
                                .hidden_size = 8,
                                .heads = 1,
                                .intermediate_size = 12,
                                .sequence_length = 6,
                                .max_positions = 6,
                                .vocab_size = 11},
                               1, slices);
}

// That of a seed's weights, sharded from `threshold` elements on.
std::string of_layout(int replicas, std::int64_t threshold, std::int64_t slices) {
  const Stages stages = small_model(slices);
  RemoteMemory memory(memory_store(), replicas);
  ModelState state(stages, memory, threshold);
  state.initialise(3);
  return fingerprint(stages, state);
}

TEST(Fingerprint, DoesNotShowTheLayout) {
  const std::string one = of_layout(1, 0, 1);
  EXPECT_EQ(one.size(), 32U);
  EXPECT_EQ(of_layout(3, 0, 1), one);
  EXPECT_EQ(of_layout(2, 64, 3), one);
}

TEST(Fingerprint, IsThatOfTheCheckpoint) {
  const test::TemporaryFolder folder;
  const Stages stages = small_model();
  RemoteMemory memory(memory_store(), 1);
  ModelState state(stages, memory, 0);
  state.initialise(3);
  save_checkpoint(folder.file("a.h5"), stages, state, {});
  EXPECT_EQ(fingerprint_of_checkpoint(folder.file("a.h5")), fingerprint(stages, state));
}

// The last bit of any number, the sign of a zero, and what is exchanged by two tensors of one shape.
TEST(Fingerprint, ShowsEveryBit) {
  const Stages stages = small_model();
  RemoteMemory memory(memory_store(), 1);
  ModelState state(stages, memory, 0);
  state.initialise(3);
  const std::string before = fingerprint(stages, state);
  const std::vector<CanonicalTensor> tensors = canonical_tensors(stages);
  for (const CanonicalTensor& tensor : {tensors.front(), tensors[tensors.size() / 2], tensors.back()}) {
    for (StateKind kind : kSavedStates) {
      const std::vector<float> values = state.read(kind, tensor);
      std::vector<float> changed = values;
      changed.back() = changed.back() == 0 ? -changed.back() : std::nextafter(changed.back(), 9.0f);
      state.write(kind, tensor, changed);
      EXPECT_NE(fingerprint(stages, state), before) << tensor.name;
      state.write(kind, tensor, values);
    }
  }
  EXPECT_EQ(fingerprint(stages, state), before);
  state.write(StateKind::moment1, tensors.front(), state.read(StateKind::weight, tensors.front()));
  state.write(StateKind::weight, tensors.front(), state.read(StateKind::moment2, tensors.front()));
  EXPECT_NE(fingerprint(stages, state), before);
}

TEST(Fingerprint, IsMadeBesideOthers) {
  const Stages stages = small_model();
  RemoteMemory memory(memory_store(), 1);
  ModelState state(stages, memory, 0);
  state.initialise(3);
  Fingerprinter fingerprinter(stages);
  fingerprinter.wait_until_read();  // nothing is under way
  const std::string expected = fingerprint(stages, state);
  for (int i = 0; i < 3; ++i) {
    fingerprinter.start(state);
    fingerprinter.wait_until_read();
    state.initialise(4);  // too late to show
    EXPECT_EQ(fingerprinter.finish(), expected);
    state.initialise(3);
  }
}

}  // namespace
}  // namespace fingerprints
}  // namespace phasor::run
