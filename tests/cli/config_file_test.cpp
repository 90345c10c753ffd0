// Configurations that lead nowhere end in one line.
#include "models/cli/config_file.h"

#include <gtest/gtest.h>

#include "tests/support/message.h"

namespace phasor::cli {
namespace {

std::string error_of(const std::string& yaml) {
  return test::message_of([&] {
    tasks::RunConfig config;
    apply_yaml(config, yaml, "'my.yml'");
    tasks::validate(config);
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
  EXPECT_EQ(error_of("model: {vocab_size: 9}\n"
                     "execution: {data_parallel: 65536, micro_batch_size: 281474976710656}\n"),
            "data_parallel × micro_batch_size = 65536 × 281474976710656 is more than fits");
  EXPECT_EQ(error_of("model: {vocab_size: 9}\ntraining: {global_batch_size: 4294967296}\n"),
            "global_batch_size 4294967296 takes 2147483648 micro-batches of each replica, expected at most 2147483647");
}

}  // namespace
}  // namespace phasor::cli
