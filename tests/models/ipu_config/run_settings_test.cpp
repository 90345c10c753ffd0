#include "models/ipu_config/run_settings.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>

#include "models/config/load_config.h"
#include "tests/support/temporary_folder.h"

namespace phasor::ipu {
namespace {
namespace run_settings_test {

RunSettings settings_of(const std::string& json, RunFacts facts = {.micro_batch_size = 2}, Use use = Use::training) {
  return to_settings(IpuConfig::parse(json), facts, use);
}

std::string refusal_of(const std::string& json, Use use = Use::training) {
  try {
    settings_of(json, {.micro_batch_size = 2}, use);
  } catch (const Incompatible& mistake) {
    return mistake.what();
  }
  return "";
}

// What published configurations ask for, but for the devices.
TEST(IpuSettings, MeanTheSameHere) {
  const RunSettings settings = settings_of(R"({
    "embedding_serialization_factor": 2, "enable_half_partials": true, "executable_cache_dir": "/cache",
    "gradient_accumulation_steps": 16, "ipus_per_replica": 1, "layers_per_ipu": [12], "matmul_proportion": 0.22,
    "optimizer_state_offchip": true, "output_mode": "final", "recompute_checkpoint_every_layer": true,
    "replicated_tensor_sharding": true, "replication_factor": 4, "seed": 42, "device_iterations": 2})");
  const std::map<std::string, std::string> expected{{"data.cache", "/cache"},
                                                    {"execution.data_parallel", "4"},
                                                    {"execution.device_iterations", "2"},
                                                    {"execution.embedding_serialization_factor", "2"},
                                                    {"execution.outputs", "final"},
                                                    {"execution.recompute", "layer"},
                                                    {"execution.replicated_tensor_sharding", "true"},
                                                    {"model.seed", "42"},
                                                    {"training.global_batch_size", "128"}};
  EXPECT_EQ(settings.keys, expected);
  EXPECT_EQ(settings.notes.size(), 3u);  // matmul_proportion, partials, state
}

TEST(IpuSettings, OfDefaults) {
  const RunSettings settings = settings_of("{}");
  EXPECT_EQ(settings.keys.at("training.global_batch_size"), "2");
  EXPECT_EQ(settings.keys.at("execution.recompute"), "none");
  EXPECT_EQ(settings.keys.at("execution.replicated_tensor_sharding"), "false");
  EXPECT_FALSE(settings.keys.contains("model.seed"));
  EXPECT_FALSE(settings.keys.contains("data.cache"));
}

TEST(IpuSettings, MomentsAreWhatTheyAre) {
  const RunSettings settings =
      settings_of(R"({"enable_half_first_order_momentum": true, "enable_half_partials": false})");
  EXPECT_NE(std::ranges::find(settings.notes,
                              "ipu_config: enable_half_first_order_momentum: moments are float32 here, always"),
            settings.notes.end());
}

TEST(IpuSettings, OfOutputs) {
  for (const auto& [mode, outputs] : {std::pair{"all", "all"}, {"sum", "sum"}, {"default", "final"}}) {
    const RunSettings settings = settings_of(fmt::format(R"({{"output_mode": "{}"}})", mode));
    EXPECT_EQ(settings.keys.at("execution.outputs"), outputs);
    EXPECT_EQ(settings.notes.size(), 2u);  // partials, state
  }
  const RunSettings inference =
      settings_of(R"({"inference_device_iterations": 4})", {.micro_batch_size = 2}, Use::inference);
  EXPECT_EQ(inference.notes.size(), 2u);  // device_iterations, partials
  EXPECT_FALSE(inference.keys.contains("execution.device_iterations"));
}

TEST(IpuSettings, OfInference) {
  const RunSettings settings =
      settings_of(R"({"replication_factor": 4, "inference_replication_factor": 2, "auto_loss_scaling": true})",
                  {.micro_batch_size = 2}, Use::inference);
  EXPECT_EQ(settings.keys.at("execution.data_parallel"), "2");
  EXPECT_FALSE(settings.keys.contains("training.global_batch_size"));
}

TEST(IpuSettings, WhatThereIsNotIsRefused) {
  for (const char* json :
       {R"({"layers_per_ipu": [3, 5]})", R"({"projection_serialization_factor": 2})",
        R"({"serialized_embedding_splits_per_ipu": [2]})", R"({"serialized_projection_splits_per_ipu": [2]})",
        R"({"auto_loss_scaling": true})", R"({"execute_encoder_on_cpu_for_generation": true})",
        R"({"explicit_ir_inference": true})", R"({"parallelize_kwargs": {"a": 1}})"}) {
    const std::string field = Json::parse(json).begin().key();
    EXPECT_EQ(refusal_of(json).find("ipu_config: " + field), 0u) << json << ": " << refusal_of(json);
  }
}

TEST(IpuSettings, LayersAreWhereTheyAreSaidToBe) {
  const RunFacts facts{.micro_batch_size = 2, .stack = LayerStack{.before = 2, .layers = 7, .behind = 1}};
  const auto parts = [&](const char* json) { return settings_of(json, facts).keys.at("execution.pipeline.stages"); };
  EXPECT_EQ(parts(R"({"layers_per_ipu": [-1, 2, -1, 2]})"), "0-2, 3-4, 5-6, 7-9");
  EXPECT_EQ(parts(R"({"ipus_per_replica": 2})"), "0-4, 5-9");
  EXPECT_EQ(parts(R"({"layers_per_ipu": [0, 7]})"), "0-1, 2-9");
  EXPECT_EQ(settings_of(R"({"layers_per_ipu": [3, 4]})", facts).keys.at("execution.pipeline.devices"), "2");
  EXPECT_THROW(settings_of(R"({"layers_per_ipu": [3, 5]})", facts), Incompatible);
  EXPECT_THROW(settings_of(R"({"layers_per_ipu": [3, 0, 4]})", facts), UserError);
  EXPECT_EQ(settings_of(R"({"layers_per_ipu": [3, 3]})").keys.at("execution.pipeline.devices"), "2");
}

TEST(IpuSettings, InferenceRunsOnDevicesOfItsOwn) {
  const RunFacts facts{.micro_batch_size = 2, .stack = LayerStack{.before = 2, .layers = 6, .behind = 1}};
  const auto keys = [&](const char* json) { return settings_of(json, facts, Use::inference).keys; };
  EXPECT_EQ(keys(R"({"layers_per_ipu": [3, 3]})").at("execution.pipeline.stages"), "0-4, 5-8");
  EXPECT_EQ(keys(R"({"layers_per_ipu": [3, 3]})").at("execution.pipeline.schedule"), "1f1b");
  const char* apart = R"({"layers_per_ipu": [3, 3], "inference_layers_per_ipu": [2, 2, 2],
                          "sharded_execution_for_inference": true})";
  EXPECT_EQ(keys(apart).at("execution.pipeline.devices"), "3");
  EXPECT_EQ(keys(apart).at("execution.pipeline.schedule"), "sequential");
  EXPECT_FALSE(
      keys(R"({"layers_per_ipu": [3, 3], "inference_layers_per_ipu": [6]})").contains("execution.pipeline.devices"));
}

TEST(IpuSettings, TheStackOfAModelIsItsLayers) {
  const auto stack = stack_of(phasor::run::load_config("squad-tiny", {}).model);
  ASSERT_TRUE(stack);
  EXPECT_EQ(stack->before, 2);
  EXPECT_EQ(stack->behind, 1);
  EXPECT_FALSE(stack_of(phasor::run::load_config("mnist", {}).model));
}

TEST(IpuSettings, JoinWhatTheUserGives) {
  const phasor::test::TemporaryFolder folder;
  std::ofstream(folder.file("ipu_config.json"))
      << R"({"replication_factor": 2, "gradient_accumulation_steps": 4, "seed": 7})";
  const auto join = [&](const std::map<std::string, std::string>& given) {
    return with_ipu_config("squad-tiny", given, folder.path(), io::silent());
  };
  const auto joined = join({{"execution.micro_batch_size", "3"}, {"model.seed", "9"}});
  EXPECT_EQ(joined.at("training.global_batch_size"), "24");
  EXPECT_EQ(joined.at("model.seed"), "9");
  EXPECT_EQ(
      join({{"training.global_batch_size", "16"}, {"execution.micro_batch_size", "2"}}).at("execution.data_parallel"),
      "2");
  try {
    join({{"training.global_batch_size", "32"}, {"execution.micro_batch_size", "2"}});
    FAIL();
  } catch (const UserError& mistake) {
    EXPECT_EQ(std::string(mistake.what()),
              "training.global_batch_size 32 is not what '" + folder.path() +
                  "' asks for: micro_batch_size × replication_factor × gradient_accumulation_steps = 2 × 2 × 4 = 16");
  }
}

}  // namespace run_settings_test
}  // namespace
}  // namespace phasor::ipu
