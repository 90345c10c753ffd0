// One benchmark of a kernel on a shape of BERT base: what to run, what to compare it with, what to divide by time.
#pragma once

#include <deque>
#include <functional>
#include <string>

#include "engine/base/bfloat16.h"
#include "tests/support/inputs.h"

namespace phasor::bench {

using test::Doubles;
using test::Floats;
using test::Ids;

inline constexpr std::int64_t kBatch = 4, kSequence = 384, kHeads = 12, kHeadSize = 64, kVocabulary = 30522;
inline constexpr std::int64_t kTokens = kBatch * kSequence, kHidden = kHeads * kHeadSize, kInner = 4 * kHidden;
inline constexpr RandomPosition kPosition{.seed = 1, .step = 2};

// What a run has left in a buffer that outlives the case.
class Results {
 public:
  template <class T>
  Results(const test::Buffer<T>& x)
      : load_([&x] {
          Doubles y(x.size());
          for (std::size_t i = 0; i < x.size(); ++i) y[i] = to_float(x[i]);
          return y;
        }) {}
  Doubles operator()() const { return load_(); }

 private:
  std::function<Doubles()> load_;
};

struct Case {
  std::string name;
  std::string unit;  // "GFLOP/s" where arithmetic rules, "GB/s" where memory does
  double work = 0;   // operations, or bytes that must move, in one run
  std::function<void()> run;
  Results results;
  std::function<Doubles()> expected;  // the first of them, by the reference
  double tolerance = 4096 * 0x1p-24;  // relative to the largest result: enough to tell right from wrong
};

std::vector<Case> product_cases();
std::vector<Case> row_cases();
std::vector<Case> element_cases();

// Memory that lasts as long as the program.
template <class T>
test::Buffer<T>& keep(test::Buffer<T> x) {
  static std::deque<test::Buffer<T>> all;
  return all.emplace_back(std::move(x));
}
inline Floats& keep(Floats x) { return keep<float>(std::move(x)); }

inline double bytes_of(std::int64_t floats) { return 4.0 * static_cast<double>(floats); }

}  // namespace phasor::bench
