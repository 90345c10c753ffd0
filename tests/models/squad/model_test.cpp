// Answers are chosen among numbers, or not at all.
#include "models/squad/model.h"

#include <gtest/gtest.h>

#include "models/bert/stages.h"
#include "models/checkpoint/checkpoint.h"
#include "models/squad/answering.h"
#include "models/squad/training.h"
#include "tests/support/letter_files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

TEST(SquadModel, LogitsThatAreNotFiniteAreRefused) {
  const phasor::test::TemporaryFolder folder;
  phasor::test::write_letter_files(folder.path(), 5);
  RunConfig config = phasor::test::letter_run(folder.path());
  config.checkpoint.load = folder.file("large.h5");
  const Stages stages = architecture::training_stages(config.model, 1);
  RemoteMemory memory(memory_store(), 1);
  ModelState state(stages, memory, 100);
  state.initialise(1);
  const CanonicalTensor head = canonical_tensors(stages).back();
  state.write(StateKind::weight, head, std::vector<float>(static_cast<std::size_t>(head.shape.elements()), 1));
  save_checkpoint(config.checkpoint.load, stages, state, {.config = "model: {}"});
  EXPECT_EQ(phasor::test::message_of([&] { evaluate_squad(settle_defaults(config), io::ProgressStyle::Quiet); }),
            "no error");

  // Each is finite, sums of two are not.
  for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
    if (!tensor.name.starts_with("qa_outputs")) continue;
    state.write(StateKind::weight, tensor,
                std::vector<float>(static_cast<std::size_t>(tensor.shape.elements()), 3e38f));
  }
  save_checkpoint(config.checkpoint.load, stages, state, {.config = "model: {}"});
  const auto refused = [](const std::string& message) {
    return message.starts_with("squad: a logit of the model is ") &&
           message.ends_with(", expected finite numbers: its weights are too large for float32");
  };
  EXPECT_TRUE(
      refused(phasor::test::message_of([&] { evaluate_squad(settle_defaults(config), io::ProgressStyle::Quiet); })));
  EXPECT_TRUE(refused(phasor::test::message_of([&] {
    predict_squad(settle_defaults(config), config.data.dev, false, folder.file("answers"), io::ProgressStyle::Quiet);
  })));
  EXPECT_TRUE(
      refused(phasor::test::message_of([&] { QuestionAnswerer(settle_defaults(config), false).ask("?", "e a b z"); })));
}

}  // namespace
}  // namespace phasor::run
