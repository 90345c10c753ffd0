// Whatever numbers a configuration holds, it is legal or refused in one line.
#include "models/config/run_limits.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <type_traits>

#include "engine/base/error.h"
#include "tests/support/run_parts.h"

namespace phasor::run {
namespace {

// Calls visit(key, set), where set(config, value) sets the key's field, for every field of numbers like Kind.
template <class Kind, class Visit>
void for_each_number(Visit visit) {
  RunConfig defaults;
  visit_fields(defaults, [&](const std::string& key, auto& field, const fields::Facts&) {
    using Field = std::decay_t<decltype(field)>;
    constexpr bool kNumber = std::is_arithmetic_v<Field> && !std::is_same_v<Field, bool>;
    if constexpr (kNumber && std::is_integral_v<Field> == std::is_integral_v<Kind>) {
      visit(key, [&key](RunConfig& config, Kind value) {
        visit_fields(config, [&](const std::string& other, auto& place, const fields::Facts&) {
          if constexpr (std::is_same_v<std::decay_t<decltype(place)>, Field>) {
            if (other == key) place = static_cast<Field>(value);
          }
        });
      });
    }
  });
}

// "" for a configuration that is legal. An InternalError ends the test.
std::string refusal(const RunConfig& config) {
  try {
    validate(config);
  } catch (const UserError& error) {
    return error.what();
  }
  return "";
}

constexpr std::int64_t kNumbers[] = {std::numeric_limits<std::int64_t>::min(),
                                     -1,
                                     0,
                                     1,
                                     1 << 20,
                                     1 << 24,
                                     (1 << 24) + 1,
                                     std::numeric_limits<int>::max(),
                                     4'000'000'000,
                                     1'000'000'000'000'000'000,
                                     std::numeric_limits<std::int64_t>::max()};

TEST(RunLimits, WholeNumbersOfAnySizeInAnyTwoKeys) {
  std::size_t refused = 0, tried = 0;
  const auto expect_one_line = [&](const RunConfig& config) {
    const std::string message = refusal(config);
    EXPECT_EQ(message.find('\n'), message.npos) << message;
    refused += message.empty() ? 0 : 1;
    ++tried;
  };
  for_each_number<std::int64_t>([&](const std::string& key, auto set) {
    for (const std::int64_t number : kNumbers) {
      RunConfig one;
      set(one, number);
      expect_one_line(one);
      bool behind = false;  // a pair once, in the order of keys
      for_each_number<std::int64_t>([&](const std::string& other_key, auto set_other) {
        for (const std::int64_t other : kNumbers) {
          if (!behind) break;
          RunConfig two = one;
          set_other(two, other);
          expect_one_line(two);
        }
        behind = behind || other_key == key;
      });
    }
  });
  EXPECT_GT(refused, tried / 2);
  EXPECT_LT(refused, tried);
}

TEST(RunLimits, TheLargestOfEveryKeyAtOnceIsCounted) {
  RunConfig config;
  for_each_number<std::int64_t>([&](const std::string&, auto set) { set(config, 1 << 24); });
  EXPECT_TRUE(refusal(config).starts_with("model.layers 16777216 is outside 1 .. 100000"));
  test::bert_of(config).layers = 100'000;
  config.watch.trace = 0;
  config.execution.kept_layers = 0;
  config.execution.prefetch_depth = config.execution.loop_overlap = 0;
  config.execution.pipeline = {};
  config.execution.device_iterations = 1;
  config.execution.data_parallel = config.execution.threads_per_replica = 1;
  EXPECT_TRUE(refusal(config).starts_with("weights, gradients and moments: 16 × (model.layers 100000 × "))
      << refusal(config);
  test::bert_of(config).hidden_size = test::bert_of(config).heads = test::bert_of(config).intermediate_size = 64;
  EXPECT_TRUE(refusal(config).starts_with("activations: 4 × training.global_batch_size 16777216 × "))
      << refusal(config);
  test::bert_of(config).sequence_length = 4;
  EXPECT_EQ(refusal(config), "");
  config.execution.micro_batch_size = 1;
  EXPECT_EQ(refusal(config),
            "(model.layers 100000 + 2) × training.global_batch_size 16777216 / execution.micro_batch_size 1 / "
            "execution.data_parallel 1 = 1.68e+12 calls, more than the 1048576 that a program may list. Larger "
            "micro-batches need fewer");
}

TEST(RunLimits, NumbersThatAreNegativeOrNone) {
  for_each_number<double>([](const std::string& key, auto set) {
    for (const double number : {-1.0, -1e30, std::numeric_limits<double>::quiet_NaN(),
                                std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()}) {
      RunConfig config;
      set(config, number);
      const bool may_be_negative = key == "data.null_score_threshold";
      if (may_be_negative && std::isfinite(number)) continue;
      EXPECT_TRUE(refusal(config).starts_with(key + " ")) << key << " " << number << ": " << refusal(config);
    }
  });
}

TEST(RunLimits, SaysTheReason) {
  const auto refusal_of = [](auto change) {
    RunConfig config;
    change(config);
    return refusal(config);
  };
  EXPECT_EQ(refusal_of([](auto& c) { test::bert_of(c).layer_norm_eps = -1; }),
            "model.layer_norm_eps -1 is outside 0 .. 1: it is added to variances, so that their root is real");
  EXPECT_EQ(refusal_of([](auto& c) { c.training.optimizer.weight_decay = -0.5f; }),
            "training.optimizer.weight_decay -0.5 is outside 0 .. 3.4e+38: weights are to shrink by it");
  EXPECT_EQ(refusal_of([](auto& c) { test::bert_of(c).token_types = 1; }),
            "model.token_types 1 is less than the 2 segments of SQuAD: question 0, context 1");
  EXPECT_EQ(refusal_of([](auto& c) { c.execution.threads_per_replica = -1; }),
            "execution.threads_per_replica -1 is less than 0");
  EXPECT_EQ(refusal_of([](auto& c) { c.watch.trace = 1'000'000; }),
            "execution.trace 1000000 is outside 0 .. 1000: every step of the program is recorded each time, and no "
            "viewer opens more");
  EXPECT_EQ(refusal_of([](auto& c) { c.training.steps = std::int64_t{1} << 62; }),
            "training.steps × training.global_batch_size = 4611686018427387904 × 16 is more samples than can be "
            "counted");
  EXPECT_EQ(
      refusal_of([](auto& c) {
        c.execution.data_parallel = 1000;
        c.execution.threads_per_replica = 1'000'000;
      }),
      fmt::format("execution.data_parallel × execution.threads_per_replica = 1000 × 1000000 = 1000000000 threads, "
                  "expected at most {}",
                  most_threads()));
}

}  // namespace
}  // namespace phasor::run
