// What one execution computes in a step, value by value, for others to be held against. It takes the memory that all
// activations and gradients of the step's micro-batches take together.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "models/verify/values/numbers.h"
#include "models/verify/values/value_observer.h"

namespace phasor::run {

// A value of the model in a micro-batch of the step.
struct ValueKey {
  std::string name;
  int micro_batch = 0;
  friend auto operator<=>(const ValueKey&, const ValueKey&) = default;
};

// A value as it came: a value that is made again, or is stored and loaded, comes several times, and is the same each
// time unless something is wrong.
struct SeenValue {
  std::string phase;
  std::int64_t order = 0;
  bool read = false;
  Shape shape;
  std::shared_ptr<const std::vector<float>> elements;  // of any real type
};

// Whether elements of the type are kept, each as a float.
bool is_kept(DType type);

// The values of a step. Replicas see theirs at once; a step is read when it is over.
class StepValues {
 public:
  // What observers of this execution call. Elements that are no real numbers but 32-bit integers, such as ids of
  // tokens, count as numbers; others are not seen.
  void see(const ObservedValue& value);
  void clear() { values_.clear(); }

  // `sums` over the micro-batches of a replica can be compared where both divide the batch alike.
  void take_sums(bool take) { takes_sums_ = take; }

  const std::map<ValueKey, std::vector<SeenValue>>& values() const { return values_; }

 private:
  std::mutex mutex_;
  bool takes_sums_ = true;
  std::map<ValueKey, std::vector<SeenValue>> values_;
};

// A value that two executions both have, where it differs.
struct ValueDistance {
  ValueKey key;
  std::string phase;
  std::int64_t order = 0;
  Shape shape;
  Distance distance;
};

struct ValueComparison {
  std::int64_t compared = 0;               // tensors
  std::vector<ValueDistance> differences;  // in the order in which `a` makes them
};

// Of what both have under one name in one shape; how often does not matter. Without `reads`, what is loaded is left
// out.
ValueComparison compare_values(const StepValues& a, const StepValues& b, bool reads);

}  // namespace phasor::run
