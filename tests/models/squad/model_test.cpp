// Answers are chosen among numbers, or not at all.
#include <gtest/gtest.h>

#include "models/bert/stages.h"
#include "models/checkpoint/checkpoint.h"
#include "models/squad/answering.h"
#include "tests/support/letter_files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trained_letters.h"

namespace phasor::squad {
namespace {

TEST(SquadModel, LogitsThatAreNotFiniteAreRefused) {
  const phasor::test::TemporaryFolder folder;
  phasor::test::write_letter_files(folder.path(), 5);
  run::RunConfig config = phasor::test::letter_run(folder.path());
  config.checkpoint.load = folder.file("large.h5");
  const Stages stages = architecture::training_stages(config.model, 1);
  RemoteMemory memory(memory_store(), 1);
  ModelState state(stages, memory, 100);
  state.initialise(1);
  const CanonicalTensor head = canonical_tensors(stages).back();
  state.write(StateKind::weight, head, std::vector<float>(static_cast<std::size_t>(head.shape.elements()), 1));
  run::save_checkpoint(config.checkpoint.load, stages, state, {.config = "model: {}"});
  EXPECT_EQ(phasor::test::message_of([&] { phasor::test::evaluate_squad(config); }), "no error");

  // Each is finite, sums of two are not.
  for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
    if (!tensor.name.starts_with("qa_outputs")) continue;
    state.write(StateKind::weight, tensor,
                std::vector<float>(static_cast<std::size_t>(tensor.shape.elements()), 3e38f));
  }
  run::save_checkpoint(config.checkpoint.load, stages, state, {.config = "model: {}"});
  const auto refused = [](const std::string& message) {
    return message.starts_with("model: one of its logits is ") &&
           message.ends_with(", expected finite numbers: its weights are too large for float32");
  };
  EXPECT_TRUE(refused(phasor::test::message_of([&] { phasor::test::evaluate_squad(config); })));
  EXPECT_TRUE(refused(phasor::test::message_of([&] {
    answer_file(run::settle_defaults(config), config.data.dev, false, folder.file("answers"), io::silent());
  })));
  EXPECT_TRUE(refused(
      phasor::test::message_of([&] { QuestionAnswerer(run::settle_defaults(config), false).ask("?", "e a b z"); })));
}

}  // namespace
}  // namespace phasor::squad
