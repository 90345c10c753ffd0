// Configurations that lead nowhere end in one line.
#include "models/config/config_file.h"

#include <gtest/gtest.h>

#include "tests/support/message.h"

namespace phasor::run {
namespace {

std::string error_of(const std::string& yaml) {
  return test::message_of([&] {
    RunConfig config;
    apply_yaml(config, yaml, "'my.yml'");
    validate(config);
  });
}

TEST(ConfigFile, AliasesWithoutEnd) {
  EXPECT_EQ(error_of("model: &a\n  model: *a\n"),
            "config: unknown key 'model.model' in 'my.yml'. Did you mean 'model.seed'?");
  std::string doubled = "x0: &a0 {}\n";
  for (int i = 0; i < 60; ++i) doubled += fmt::format("x{}: &a{} {{l: *a{}, r: *a{}}}\n", i + 1, i + 1, i, i);
  EXPECT_TRUE(error_of(doubled).starts_with("config: unknown key 'x0' in 'my.yml'."));
}

TEST(ConfigFile, KeysThatAreNoText) {
  EXPECT_EQ(error_of("? [a]\n: 1\n"), "config: 'my.yml' has a key that is no text in its sections");
  EXPECT_EQ(error_of("model: {? {a: b} : 1}\n"), "config: 'my.yml' has a key that is no text in model");
}

TEST(ConfigFile, MessagesAreOneShortLine) {
  const std::string key = error_of("\"a\\nb\": 1\n"), value = error_of("model: {layers: \"1\\n2\"}\n");
  EXPECT_TRUE(key.starts_with("config: unknown key 'a b' in 'my.yml'.")) << key;
  EXPECT_EQ(value, "config: model.layers '1 2' in 'my.yml' is not a whole number");
  const std::string long_key = error_of(std::string(1'000, 'a') + ": {}\n");
  EXPECT_TRUE(long_key.starts_with("config: unknown key '" + std::string(200, 'a') + "…' in")) << long_key;
}

TEST(ConfigFile, ProductsThatDoNotFit) {
  EXPECT_EQ(error_of("execution: {data_parallel: 65536, micro_batch_size: 281474976710656}\n"),
            "execution.micro_batch_size 281474976710656 is outside 1 .. 16777216: sizes are positive, and their "
            "products countable");
  EXPECT_EQ(error_of("training: {global_batch_size: 67108864}\n"),
            "(model.layers 2 + 2) × training.global_batch_size 67108864 / execution.micro_batch_size 2 / "
            "execution.data_parallel 1 = 1.34e+08 calls, more than the 1048576 that a program may list. Larger "
            "micro-batches need fewer");
}

TEST(ConfigFile, WhatIsGivenTwice) {
  EXPECT_EQ(error_of("model:\n  layers: 1\n  heads: 2\n  layers: 1\n"),
            "config: model.layers is given twice in 'my.yml', in line 2 and in line 4. Leave one of them out");
  EXPECT_EQ(error_of("model: {layers: 1}\ntraining: {steps: 1}\nmodel: {heads: 2}\n"),
            "config: model is given twice in 'my.yml', in line 1 and in line 3. Leave one of them out");
  EXPECT_EQ(error_of("execution:\n  data_parallel: 1\n  replicas: 2\n"),
            "config: execution.replicas is given twice in 'my.yml', in line 2 and in line 3. Leave one of them out");
  EXPECT_EQ(error_of("model: {layers: 1}\nmodel.layers: 2\n"),
            "config: model.layers is given twice in 'my.yml', in line 1 and in line 2. Leave one of them out");
}

TEST(ConfigFile, AnotherDocument) {
  EXPECT_EQ(error_of("model: {layers: 1}\n---\ntraining: {steps: 3}\n"),
            "config: 'my.yml' has another document from line 3 on, expected one");
  EXPECT_EQ(error_of("model: {layers: 1}\n...\n\n--- {training: {steps: 3}}\n"),
            "config: 'my.yml' has another document from line 4 on, expected one");
  EXPECT_EQ(error_of("--- # one\nmodel: {layers: 1}\n...\n"), "no error");
  EXPECT_EQ(error_of("%YAML 1.2\n---\nmodel: {layers: 1}\n---\n# nothing\n"), "no error");
  EXPECT_EQ(error_of(""), "no error");
}

TEST(ConfigFile, SectionsAndValuesInEachOthersPlace) {
  const std::string section = "config: model in 'my.yml' is a section, expected keys below it, such as model.from";
  EXPECT_EQ(error_of("model: 3\n"), section);
  EXPECT_EQ(error_of("model: [1]\n"), section);
  EXPECT_EQ(error_of("training:\n  optimizer: adam\n"),
            "config: training.optimizer in 'my.yml' is a section, expected keys below it, such as "
            "training.optimizer.eps");
  EXPECT_EQ(error_of("model: {layers: {a: 1}}\n"), "config: model.layers in 'my.yml' is a section, expected one value");
  EXPECT_EQ(error_of("model: {layers: [1]}\n"), "config: model.layers in 'my.yml' is a list, expected one value");
  EXPECT_EQ(error_of("training:\nmodel: {layers: 1}\n"), "no error");  // an empty section
}

TEST(ConfigFile, ArchitectureAndTaskAreKnownFirst) {
  EXPECT_EQ(error_of("model: {layers: 1, architecture: bert}\ndata: {n_best: 3, task: squad}\n"), "no error");
  EXPECT_EQ(error_of("model: {layerz: 1, architecture: perceptron}\n"),
            "config: model.architecture 'perceptron' in 'my.yml' is not bert or convnet or gpt2");
  EXPECT_EQ(error_of("data: {n_worst: 3, task: chess}\n"),
            "config: data.task 'chess' in 'my.yml' is not squad or digits or text");
}

TEST(ConfigFile, WhatCannotBeSeenInAKeyIsShown) {
  EXPECT_EQ(error_of("model: {\"layers\u200b\": 1}\n"),
            "config: unknown key 'model.layers<U+200B>' in 'my.yml'. Did you mean 'model.layers'?");
}

TEST(ConfigFile, NumbersOutsideOfWhatAFieldHolds) {
  EXPECT_EQ(error_of("model: {seed: 18446744073709551615}\n"),
            "config: model.seed '18446744073709551615' in 'my.yml' is not a whole number from -9223372036854775808 to "
            "9223372036854775807");
  EXPECT_EQ(error_of("model: {layers: 4000000000}\n"),
            "config: model.layers '4000000000' in 'my.yml' is not a whole number from -2147483648 to 2147483647");
  EXPECT_EQ(error_of("model: {layers: 1e3}\n"), "config: model.layers '1e3' in 'my.yml' is not a whole number");
  EXPECT_EQ(error_of("model: {dropout_prob: 1e99}\n"),
            "config: model.dropout_prob '1e99' in 'my.yml' is not a number from -3.4028235e+38 to 3.4028235e+38");
}

}  // namespace
}  // namespace phasor::run
