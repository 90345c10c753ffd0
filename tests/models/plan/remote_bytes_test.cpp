// What remote memory holds is all that the program's buffers have room for, each by what it is.
#include "models/plan/remote_bytes.h"

#include <gtest/gtest.h>

#include "models/plan/memory_use.h"
#include "models/plan/planned_run.h"
#include "tests/models/plan/buffer_bytes.h"

namespace phasor::run {
namespace {

std::int64_t held(const RemoteBytes& bytes, RemoteContent content) { return bytes[static_cast<std::size_t>(content)]; }

RunConfig run_of(int layers) {
  RunConfig config;
  config.model = bert::Config{.layers = layers,
                              .hidden_size = 16,
                              .heads = 2,
                              .intermediate_size = 32,
                              .sequence_length = 8,
                              .max_positions = 8,
                              .vocab_size = 100};
  config.training.global_batch_size = 8;
  config.execution.micro_batch_size = 2;
  config.execution.recompute = Recompute::layer;
  return config;
}

TEST(RemoteBytes, OfDeepModelsAreThoseOfTheirBuffers) {
  for (const int layers : {2, 24, 36, 53, 100}) {
    for (const Recompute recompute : {Recompute::none, Recompute::layer}) {
      for (const int replicas : {1, 2}) {
        RunConfig config = run_of(layers);
        config.execution.recompute = recompute;
        config.execution.data_parallel = replicas;
        const ResolvedRun run = settle_defaults(config);
        EXPECT_EQ(total(remote_bytes(run)), bytes_of_buffers(run)) << layers << " layers, " << replicas << " replicas";
      }
    }
  }
}

TEST(RemoteBytes, OfMemoryUseAreTheSame) {
  const ResolvedRun run = settle_defaults(run_of(53));
  EXPECT_EQ(memory_use(run).remote, remote_bytes(run));
}

// Of each step that is prepared at a time the batch, its numbers and what it gives.
TEST(RemoteBytes, OfStepsThatArePrepared) {
  RunConfig config = run_of(3);
  const RemoteBytes of_one = remote_bytes(settle_defaults(config));
  config.execution.device_iterations = 5;
  const ResolvedRun run = settle_defaults(config);
  const RemoteBytes of_five = remote_bytes(run);
  EXPECT_EQ(held(of_five, RemoteContent::batch), 5 * held(of_one, RemoteContent::batch));
  EXPECT_EQ(total(of_five) - total(of_one), 4 * held(of_one, RemoteContent::batch));
  EXPECT_EQ(total(of_five), bytes_of_buffers(run));
}

TEST(RemoteBytes, ByWhatTheyAre) {
  const ResolvedRun run = settle_defaults(run_of(3));
  const std::int64_t weights = 4 * count_parameters(stages_of(run));
  const std::int64_t row = 4 * 2 * 8 * 16, micro_batches = 4;
  const RemoteBytes bytes = remote_bytes(run);
  EXPECT_EQ(held(bytes, RemoteContent::weights), weights);
  EXPECT_EQ(held(bytes, RemoteContent::moments), 2 * weights);
  EXPECT_EQ(held(bytes, RemoteContent::masters), 0);
  EXPECT_EQ(held(bytes, RemoteContent::gradients), 0);
  EXPECT_EQ(held(bytes, RemoteContent::kept_activations), 0);
  // Between six stage instances: the embeddings, three layers, the head.
  EXPECT_EQ(held(bytes, RemoteContent::activations), 5 * micro_batches * row);
  EXPECT_EQ(held(bytes, RemoteContent::activation_gradients), 2 * micro_batches * row);  // which take turns
  EXPECT_GT(held(bytes, RemoteContent::batch), 0);
}

TEST(RemoteBytes, OfOptionsThatAddToThem) {
  const std::int64_t weights = 4 * count_parameters(stages_of(settle_defaults(run_of(3))));
  RunConfig clipped = run_of(3), half = run_of(3), keeping = run_of(3);
  clipped.training.optimizer.max_grad_norm = 1;
  EXPECT_EQ(held(remote_bytes(settle_defaults(clipped)), RemoteContent::gradients), weights);
  half.precision = Precision::bfloat16;
  const RemoteBytes of_half = remote_bytes(settle_defaults(half));
  EXPECT_GT(held(of_half, RemoteContent::masters), 0);
  EXPECT_LT(held(of_half, RemoteContent::weights), weights);
  keeping.execution.kept_layers = 1;
  const std::int64_t of_one = held(remote_bytes(settle_defaults(keeping)), RemoteContent::kept_activations);
  EXPECT_GT(of_one, 0);
  keeping.execution.kept_layers = 2;
  EXPECT_EQ(held(remote_bytes(settle_defaults(keeping)), RemoteContent::kept_activations), 2 * of_one);
}

}  // namespace
}  // namespace phasor::run
