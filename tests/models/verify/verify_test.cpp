// Executions that ought to be equal are; those that ought not to be are told apart, and why.
#include "models/verify/verify.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/checkpoint/fingerprint.h"
#include "models/plan/resolve_run.h"
#include "models/verify/compare/recorded_run.h"
#include "models/verify/executions/watched_step.h"
#include "models/verify/values/step_value_bytes.h"
#include "tests/models/verify/verify_fixture.h"
#include "tests/support/message.h"
#include "tests/support/trained_letters.h"

namespace phasor::run::verify_tests {
namespace {

using test::message_of;

TEST_F(Verifying, WhatMustNotChangeABitDoesNot) {
  const std::string store = folder_.file("store");
  request_.activations = true;
  request_.against = {{{"execution.mode", "monolithic"}},
                      {{"execution.recompute", "layer"}, {"execution.kept_layers", "1"}},
                      {{"execution.recompute", "layer"}},
                      {{"execution.remote.store", "file"}, {"execution.remote.path", store}},
                      {{"execution.threads_per_replica", "2"}},
                      {{"execution.zero_copy", "false"}},
                      {{"execution.pack_weights", "false"}},
                      {{"execution.prefetch_depth", "2"}, {"execution.loop_overlap", "1"}},
                      {{"execution.embedding_serialization_factor", "3"}}};
  const VerifyResult result = verified();
  EXPECT_TRUE(result.equal()) << to_text(result);
  for (const VerifiedPair& pair : result.pairs) EXPECT_GT(pair.activations, 300) << pair.name;
  EXPECT_EQ(result.fingerprint.size(), 32U);
}

TEST_F(Verifying, TheOtherModeIsWhatARunIsHeldAgainst) {
  const VerifyResult result = verified();
  EXPECT_TRUE(result.equal()) << to_text(result);
  EXPECT_EQ(result.name, "execution.mode phased");
  EXPECT_EQ(result.pairs.at(0).name, "execution.mode monolithic");
  EXPECT_EQ(result.pairs.at(0).numbers, 3 * (1 + result.numbers));
}

TEST_F(Verifying, ReplicasAreEqualWhereTheyAreReproducible) {
  config_.execution.reproducible = true;
  request_.activations = true;
  const VerifiedPair pair = verified({{"execution.data_parallel", "2"}});
  EXPECT_TRUE(pair.equal());
  EXPECT_GT(pair.activations, 300);
}

TEST_F(Verifying, AnotherOrderOfSumsIsExplainedByRounding) {
  request_.steps = 4;
  request_.activations = true;
  const VerifiedPair pair = verified({{"execution.data_parallel", "4"}});
  ASSERT_FALSE(pair.equal());
  ASSERT_TRUE(pair.rounding);
  EXPECT_TRUE(pair.rounding->within) << pair.rounding->largest << " at " << pair.rounding->at;
  EXPECT_GT(pair.rounding->largest, 1e-3);
}

TEST_F(Verifying, AnotherPrecisionIsExplainedByRounding) {
  request_.steps = 4;
  request_.activations = true;
  const VerifiedPair pair = verified({{"model.precision", "bfloat16"}});
  ASSERT_FALSE(pair.equal());
  ASSERT_TRUE(pair.rounding);
  EXPECT_TRUE(pair.rounding->within) << pair.rounding->largest << " at " << pair.rounding->at;
  EXPECT_GT(pair.rounding->largest, 1e-2);
}

TEST_F(Verifying, AnotherModelIsNotExplained) {
  const VerifiedPair pair = verified({{"model.dropout_prob", "0.2"}});
  ASSERT_FALSE(pair.equal());
  EXPECT_EQ(pair.explained, "model.dropout_prob computes something else");
  EXPECT_FALSE(pair.rounding);
  EXPECT_EQ(pair.first->place.step, 1);
}

TEST_F(Verifying, ARunThatIsOverIsHeldAgainst) {
  config_.watch.fingerprint = 2;
  config_.checkpoint.every_steps = 2;
  config_.checkpoint.keep = 0;
  const std::string recorded = folder_.file("run");
  test::train_squad(config_, "", recorded);
  request_.steps = 4;
  request_.records = {recorded, recorded + "/checkpoint-00000002.h5"};
  const VerifyResult same = verified();
  EXPECT_TRUE(same.equal()) << to_text(same);
  EXPECT_EQ(same.pairs.at(0).numbers, 4 + 2 * same.numbers);
  EXPECT_EQ(same.pairs.at(1).numbers, same.numbers);
  EXPECT_EQ(fingerprint_of_checkpoint(recorded + "/checkpoint-00000004.h5"), same.fingerprint);
  EXPECT_EQ(RecordedRun(recorded).fingerprint(4), same.fingerprint);

  config_.seed += 1;
  const VerifyResult other = verified();
  EXPECT_EQ(other.pairs.at(0).first->place.tensor, "loss");
  EXPECT_EQ(other.pairs.at(1).first->place.step, 2);
}

TEST_F(Verifying, TwoLogsTellTheFirstStepThatDiffers) {
  config_.watch.fingerprint = 3;
  test::train_squad(config_, "", folder_.file("a"));
  config_.execution.mode = Mode::monolithic;
  test::train_squad(config_, "", folder_.file("b"));
  config_.training.optimizer.beta2 = 0.5;  // which the loss of step 2 tells
  test::train_squad(config_, "", folder_.file("c"));
  const LogComparison same = compare_logs(folder_.file("a"), folder_.file("b"));
  EXPECT_TRUE(same.equal()) << to_text(same);
  EXPECT_EQ(same.losses, 8);
  EXPECT_EQ(same.fingerprints, 2);
  const LogComparison other = compare_logs(folder_.file("a"), folder_.file("c"));
  ASSERT_FALSE(other.equal());
  EXPECT_EQ(other.first->place.step, 2) << to_text(other);
}

TEST_F(Verifying, RefusesWhatComparesNothing) {
  EXPECT_EQ(message_of([&] {
              verified({{"execution.mode", "phased"}});
            }),
            "--against: the run has execution.mode phased already");
  request_.steps = 0;
  EXPECT_EQ(message_of([&] { verified(); }), "verify: --steps 0 compares nothing, expected 1 or more");
}

// The first line.
std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

TEST_F(Verifying, AllExecutionsHaveRoomTogetherOrNoneBegins) {
  const auto message = [&](std::int64_t bytes) {
    config_.execution.host_memory = ByteSize{bytes};
    return message_of<MemoryTooSmall>([&] { verified(); });
  };
  constexpr std::int64_t kEnough = std::int64_t{1} << 30;
  EXPECT_EQ(message(kEnough), "no error");
  RunConfig other = config_;
  other.execution.mode = Mode::monolithic;
  const std::int64_t either =
      std::max(memory_use(settle_defaults(config_)).host_bytes(), memory_use(settle_defaults(other)).host_bytes());
  config_.data.train = "nowhere";  // nothing is read
  const std::string refused = message(either);
  EXPECT_THAT(first_line(refused), ::testing::HasSubstr("all that execution.host_memory leaves"));
  EXPECT_THAT(refused, ::testing::HasSubstr("\n  execution.mode monolithic "));
  EXPECT_THAT(refused, ::testing::HasSubstr("\n  the program "));
}

TEST_F(Verifying, ProbesAndValuesTakeTheirRoom) {
  request_.activations = true;
  request_.against = {{{"execution.data_parallel", "2"}}};
  config_.execution.host_memory = ByteSize{kProgramBytes + (std::int64_t{3} << 20)};
  const std::string refused = message_of<MemoryTooSmall>([&] { verified(); });
  EXPECT_THAT(refused, ::testing::HasSubstr("\n  2 more of the first, disturbed "));
  EXPECT_THAT(refused, ::testing::HasSubstr("\n  values of a step, of two at a time "));
}

TEST_F(Verifying, ValuesOfAStepTakeWhatWasReckoned) {
  test::squad_of(config_).packing = false;
  for (const Mode mode : {Mode::phased, Mode::monolithic})
    for (const int replicas : {1, 2}) {
      config_.execution.mode = mode;
      config_.execution.data_parallel = replicas;
      config_.execution.recompute = Recompute::layer;
      const ResolvedRun run = settle_defaults(config_);
      const auto samples = squad::Squad().training_samples(run, io::silent());
      ConfiguredExecution execution(run, *samples, io::silent());
      StepValues values;
      watched_step(execution, values);
      std::size_t bytes = 0;
      for (const auto& [key, seen] : values.values()) bytes += seen.front().elements->size() * sizeof(float);
      EXPECT_EQ(static_cast<std::int64_t>(bytes), step_value_bytes(run)) << replicas;
    }
}

TEST_F(Verifying, WhatTransformersCannotTrainIsRefused) {
  request_.transformers = {"/nowhere/python"};
  const auto refused = [&] { return message_of([&] { verified(); }); };
  EXPECT_THAT(refused(), ::testing::HasSubstr("Give --model.dropout_prob 0"));
  test::bert_of(config_).dropout_prob = 0;
  config_.training.optimizer_name = "lamb";
  EXPECT_THAT(refused(), ::testing::HasSubstr("training.optimizer.name is lamb"));
  config_.training.optimizer_name = "adamw";
  config_.training.frozen = "bert.embeddings.*";
  EXPECT_THAT(refused(), ::testing::HasSubstr("training.optimizer.frozen is of Phasor's optimizer alone"));
  config_.training.frozen.clear();
  EXPECT_EQ(
      refused(),
      "--against transformers: '/nowhere/python' cannot be run: No such file or directory. Give a Python that has "
      "torch and transformers");
  request_.transformers = {"true"};
  EXPECT_EQ(refused(), "--against transformers: 'true': it ended without a word. Is it a Python?");
}

}  // namespace
}  // namespace phasor::run::verify_tests
