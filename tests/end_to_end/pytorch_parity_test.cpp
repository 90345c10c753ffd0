// The network of convolutions computes what PyTorch computes: logits, losses, every gradient, and the weights after ten
// steps of AdamW. The goldens are made by scripts/goldens/convnet_goldens.py.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "engine/train/predictor.h"
#include "engine/train/trainer.h"
#include "models/convnet/stages.h"
#include "tests/support/golden.h"

namespace phasor::test {
namespace {

convnet::Config convnet_config(const Golden& golden) {
  return {.image_size = golden.integer("image_size"),
          .image_channels = golden.integer("image_channels"),
          .channels1 = golden.integer("channels1"),
          .channels2 = golden.integer("channels2"),
          .kernel_size = golden.integer("kernel_size"),
          .hidden_size = golden.integer("hidden_size"),
          .classes = golden.integer("classes")};
}

// All batches of the golden, in micro-batches, as the program takes them.
struct ImageBatches {
  ImageBatches(const Golden& golden, std::int64_t parts)
      : micro_batches(parts),
        batch(golden.integer("batch") / parts),
        images(golden.values<float>("batches/images")),
        labels(golden.values<std::int32_t>("batches/labels")) {}

  template <class Target>
  void write_images(Target& target, std::int64_t step) const {
    const std::int64_t size = std::ssize(images) / std::ssize(labels);
    for (std::int64_t m = 0; m < micro_batches; ++m) {
      target.write_batch("images", 0, static_cast<int>(m), part(images, step * micro_batches + m, batch * size));
    }
  }
  void write(Trainer& trainer, std::int64_t step) const {
    write_images(trainer, step);
    const std::vector<float> weights(batch, 1.0f / static_cast<float>(batch * micro_batches));
    for (std::int64_t m = 0; m < micro_batches; ++m) {
      trainer.write_batch("labels", 0, static_cast<int>(m), part(labels, step * micro_batches + m, batch));
      trainer.write_batch("label_weights", 0, static_cast<int>(m), std::span<const float>(weights));
    }
  }

  std::int64_t micro_batches, batch;  // batch: samples of a micro-batch
  std::vector<float> images;
  std::vector<std::int32_t> labels;
};

// Name of the golden, mode, micro-batches.
class PyTorchParity : public ::testing::TestWithParam<std::tuple<const char*, Mode, int>> {
 protected:
  const Golden golden{std::string("convnet_") + std::get<0>(GetParam())};
  const ExecutionOptions execution{.mode = std::get<1>(GetParam()), .accumulation = std::get<2>(GetParam())};
  const ImageBatches batches{golden, execution.accumulation};
  Machine machine{memory_store(), execution.replicas, execution.threads_per_replica};
};

TEST_P(PyTorchParity, LossGradientsAndTenStepsOfAdamW) {
  Trainer trainer(convnet::training_stages(convnet_config(golden), batches.batch), golden.optimizer(), execution,
                  static_cast<int>(batches.batch), machine);
  expect_training(golden, trainer, [&](std::int64_t step) { batches.write(trainer, step); });
}

TEST_P(PyTorchParity, Logits) {
  Predictor predictor(convnet::inference_stages(convnet_config(golden), batches.batch), execution, machine);
  write_initial(golden, predictor.stages(), predictor.state());
  batches.write_images(predictor, 0);
  predictor.run();
  std::vector<float> logits;  // [batch, classes], of all micro-batches
  std::vector<float> own(static_cast<std::size_t>(batches.batch * golden.integer("classes")));
  for (int m = 0; m < execution.accumulation; ++m) {
    predictor.read_result("logits", 0, m, own);
    logits.insert(logits.end(), own.begin(), own.end());
  }
  expect_near(logits, golden.values<float>("logits"), golden.tolerance("logits"), "logits");
}

INSTANTIATE_TEST_SUITE_P(ConvNets, PyTorchParity,
                         ::testing::Combine(::testing::Values("a", "b"),
                                            ::testing::Values(Mode::phased, Mode::monolithic), ::testing::Values(1, 2)),
                         [](const auto& test) {
                           return fmt::format("config_{}_{}_micro_batches_{}", std::get<0>(test.param),
                                              std::get<1>(test.param) == Mode::phased ? "phased" : "monolithic",
                                              std::get<2>(test.param));
                         });

}  // namespace
}  // namespace phasor::test
