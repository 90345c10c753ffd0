#include "models/generation/sampler.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <map>
#include <numeric>

#include "engine/base/random.h"
#include "tests/support/message.h"

namespace phasor::generation {
namespace {

using phasor::test::message_of;
using Logits = std::vector<float>;

constexpr float kHuge = std::numeric_limits<float>::max();

// How often each token is chosen in so many draws.
std::map<std::int32_t, int> counts(const SamplingOptions& options, const Logits& logits, int draws) {
  Sampler sampler(options);
  std::map<std::int32_t, int> counts;
  for (int i = 0; i < draws; ++i) ++counts[sampler.choose(logits, i % 7, i / 7)];
  return counts;
}

std::vector<std::int32_t> chosen(const SamplingOptions& options, const Logits& logits, int draws = 2000) {
  std::vector<std::int32_t> tokens;
  for (const auto& [token, count] : counts(options, logits, draws)) tokens.push_back(token);
  return tokens;
}

Logits random_logits(std::size_t count, std::uint32_t stream) {
  Logits logits(count);
  fill_normal(5, stream, 2, logits);
  return logits;
}

using Ids = std::vector<std::int32_t>;

TEST(Sampler, GreedyTakesTheSmallestOfEquals) {
  EXPECT_EQ(chosen({}, {1, 3, 2, 3, 3}), Ids{1});
  EXPECT_EQ(chosen({}, {-kHuge}), Ids{0});
  EXPECT_EQ(chosen({.top_k = 3, .top_p = 0.5, .seed = 9}, {0, 0, 0}), Ids{0});  // what is not drawn is not left out
}

// Counts of 100,000 draws are within five deviations of what the softmax says, but for one seed in a million.
TEST(Sampler, DrawsByTheSoftmax) {
  const Logits logits = {0.5f, -1, 2, 1.25f, -3, 0};
  constexpr int kDraws = 100'000;
  for (const double temperature : {0.5, 1.0, 3.0}) {
    double all = 0;
    for (const float logit : logits) all += std::exp(logit / temperature);
    const auto found = counts({.temperature = temperature}, logits, kDraws);
    for (std::size_t id = 0; id < logits.size(); ++id) {
      const double p = std::exp(logits[id] / temperature) / all, expected = kDraws * p;
      const auto count = found.find(static_cast<std::int32_t>(id));
      EXPECT_NEAR(count == found.end() ? 0 : count->second, expected, 5 * std::sqrt(expected * (1 - p)) + 1)
          << id << " at " << temperature;
    }
  }
}

TEST(Sampler, TopKKeepsTheMostProbable) {
  EXPECT_EQ(chosen({.temperature = 1, .top_k = 2}, {0, 1, 3, 2, 3}), (Ids{2, 4}));
  EXPECT_EQ(chosen({.temperature = 1, .top_k = 3}, {3, 1, 3, 3, 3}), (Ids{0, 2, 3}));  // of equals the smaller ids
  EXPECT_EQ(chosen({.temperature = 100, .top_k = 1}, {0, 1, 3, 2}), Ids{2});
  // Where a temperature makes all weights equal, logits still tell which are the most probable.
  EXPECT_EQ(chosen({.temperature = 1e300, .top_k = 2}, {0, 1, 3, 2}), (Ids{2, 3}));
}

TEST(Sampler, TopPKeepsTheFewestThatReachIt) {
  const Logits quarters = {0, 0, 0, 0};
  EXPECT_EQ(chosen({.temperature = 1, .top_p = 0}, quarters), Ids{0});
  EXPECT_EQ(chosen({.temperature = 1, .top_p = 0.2}, quarters), Ids{0});
  EXPECT_EQ(chosen({.temperature = 1, .top_p = 0.25}, quarters), Ids{0});  // reached, to the bit
  EXPECT_EQ(chosen({.temperature = 1, .top_p = 0.26}, quarters), (Ids{0, 1}));
  EXPECT_EQ(chosen({.temperature = 1, .top_p = 0.99}, quarters), (Ids{0, 1, 2, 3}));
  // Probabilities 0.1, 0.6, 0.3, in the order of their ids.
  const Logits three = {std::log(1.0f), std::log(6.0f), std::log(3.0f)};
  EXPECT_EQ(chosen({.temperature = 1, .top_p = 0.5}, three), Ids{1});
  EXPECT_EQ(chosen({.temperature = 1, .top_p = 0.7}, three), (Ids{1, 2}));
  EXPECT_EQ(chosen({.temperature = 1, .top_p = 0.95}, three), (Ids{0, 1, 2}));
  EXPECT_EQ(chosen({.temperature = 1, .top_p = std::nextafter(1.0, 0.0)}, three), (Ids{0, 1, 2}));
}

// The temperature, then top_k, whose tokens are all that top_p knows of. Probabilities 0.1, 0.6, 0.3, in the order of
// their ids.
TEST(Sampler, OptionsApplyInOrder) {
  const Logits three = {std::log(1.0f), std::log(6.0f), std::log(3.0f)};
  EXPECT_EQ(chosen({.temperature = 1, .top_k = 2, .top_p = 0.65}, three), Ids{1});  // 0.6 / 0.9 of the two
  EXPECT_EQ(chosen({.temperature = 1, .top_p = 0.65}, three), (Ids{1, 2}));
  EXPECT_EQ(chosen({.temperature = 0.5, .top_p = 0.75}, three), Ids{1});  // 0.36 / 0.46
  EXPECT_EQ(chosen({.temperature = 1, .top_p = 0.75}, three), (Ids{1, 2}));
}

TEST(Sampler, OptionsThatKeepAllChangeNothing) {
  const Logits logits = random_logits(300, 1);
  const SamplingOptions plain{.temperature = 0.8, .seed = 3};
  SamplingOptions count = plain, more = plain, part = plain;
  count.top_k = 300;
  more.top_k = 1000;
  part.top_p = std::nextafter(1.0, 0.0);
  for (const SamplingOptions& all : {count, more, part}) {
    for (int token = 0; token < 200; ++token) {
      EXPECT_EQ(Sampler(all).choose(logits, 0, token), Sampler(plain).choose(logits, 0, token));
    }
  }
}

TEST(Sampler, ExtremeTemperatures) {
  const Logits logits = {1, 5, 5, -2};
  EXPECT_EQ(chosen({.temperature = std::numeric_limits<double>::denorm_min()}, logits), (Ids{1, 2}));
  EXPECT_EQ(chosen({.temperature = 1e-30}, {1, 5, 4.9999f}), Ids{1});
  EXPECT_EQ(chosen({.temperature = std::numeric_limits<double>::max()}, logits), (Ids{0, 1, 2, 3}));
  EXPECT_EQ(chosen({.temperature = 1}, {-kHuge, kHuge, kHuge}), (Ids{1, 2}));
  EXPECT_EQ(chosen({.temperature = 1e-30, .top_k = 3, .top_p = 0.9999}, {-kHuge, 0, kHuge}), Ids{2});
}

TEST(Sampler, ADrawIsAFunctionOfItsNumbers) {
  const Logits logits(1000, 0.0f);
  const auto draw = [&](std::int64_t seed, std::int64_t prompt, std::int64_t token) {
    return Sampler({.temperature = 1, .seed = seed}).choose(logits, prompt, token);
  };
  std::map<std::int32_t, int> found;
  for (const std::int64_t seed : {0, 1, -1}) {
    for (const std::int64_t prompt : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1} << 32}) {
      for (const std::int64_t token : {0, 1, 2}) ++found[draw(seed, prompt, token)];
    }
  }
  EXPECT_GT(found.size(), 24U);  // of 27, few meet in a thousand
  Sampler used({.temperature = 1, .seed = 7});
  used.choose(random_logits(50, 2), 4, 4);
  EXPECT_EQ(used.choose(logits, 1, 2), draw(7, 1, 2));  // not of what was drawn before
}

TEST(Sampler, OptionsOutsideTheirRanges) {
  const auto refusal = [](const SamplingOptions& options) { return message_of([&] { validate(options); }); };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal({.temperature = -0.5}), "--temperature -0.5 is not a number from 0, which draws nothing, upwards");
  EXPECT_NE(refusal({.temperature = nan}), "no error");
  EXPECT_NE(refusal({.temperature = std::numeric_limits<double>::infinity()}), "no error");
  EXPECT_EQ(refusal({.top_k = -1}), "--top-k -1 is less than 0, which keeps all tokens");
  EXPECT_EQ(refusal({.top_p = 1.5}), "--top-p 1.5 is outside 0 .. 1: it is a part of the probability");
  EXPECT_NE(refusal({.top_p = nan}), "no error");
  EXPECT_EQ(refusal({.temperature = 0, .top_k = 0, .top_p = 0}), "no error");
}

}  // namespace
}  // namespace phasor::generation
