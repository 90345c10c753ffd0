// One benchmark of a kernel on a shape of BERT base: what to run, what to compare it with, what to divide by time.
#pragma once

#include <deque>
#include <functional>
#include <string>

#include "tests/support/inputs.h"

namespace phasor::bench {

using test::Doubles;
using test::Floats;
using test::Ids;

inline constexpr std::int64_t kBatch = 4, kSequence = 384, kHeads = 12, kHeadSize = 64, kVocabulary = 30522;
inline constexpr std::int64_t kTokens = kBatch * kSequence, kHidden = kHeads * kHeadSize, kInner = 4 * kHidden;
inline constexpr RandomPosition kPosition{.seed = 1, .step = 2};

struct Case {
  std::string name;
  std::string unit;  // "GFLOP/s" where arithmetic rules, "GB/s" where memory does
  double work = 0;   // operations, or bytes that must move, in one run
  std::function<void()> run;
  std::span<const float> results;     // where run leaves them
  std::function<Doubles()> expected;  // the first of them, by the reference
};

std::vector<Case> product_cases();
std::vector<Case> row_cases();
std::vector<Case> element_cases();

// Memory that lasts as long as the program.
inline Floats& keep(Floats x) {
  static std::deque<Floats> all;
  return all.emplace_back(std::move(x));
}

inline double bytes_of(std::int64_t floats) { return 4.0 * static_cast<double>(floats); }

}  // namespace phasor::bench
