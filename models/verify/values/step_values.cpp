#include "models/verify/values/step_values.h"

#include <algorithm>
#include <cstring>

namespace phasor::run {

namespace {

template <class T>
std::vector<float> as_floats(const TensorView& tensor) {
  const std::span<T> values = tensor.as<T>();
  std::vector<float> floats(values.size());
  std::ranges::transform(values, floats.begin(), [](T x) { return static_cast<float>(x); });
  return floats;
}

std::vector<float> elements_of(const TensorView& tensor) {
  if (tensor.spec.dtype == DType::f32) return as_floats<float>(tensor);
  if (tensor.spec.dtype == DType::i32) return as_floats<std::int32_t>(tensor);
  std::vector<float> floats;
  for (const bfloat16 x : tensor.as<bfloat16>()) floats.push_back(to_float(x));
  return floats;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

}  // namespace

bool is_kept(DType type) { return is_real(type) || type == DType::i32; }

void StepValues::see(const ObservedValue& value) {
  if (!is_kept(value.tensor.spec.dtype) || (value.sums && !takes_sums_)) return;
  auto elements = std::make_shared<const std::vector<float>>(elements_of(value.tensor));
  const std::scoped_lock lock(mutex_);
  std::vector<SeenValue>& seen = values_[{value.name, value.micro_batch}];
  if (!seen.empty() && same_bits(*seen.back().elements, *elements)) elements = seen.back().elements;
  seen.push_back({.phase = value.phase,
                  .order = value.order,
                  .read = value.read,
                  .shape = value.tensor.spec.shape,
                  .elements = std::move(elements)});
}

ValueComparison compare_values(const StepValues& a, const StepValues& b, bool reads) {
  ValueComparison comparison;
  for (const auto& [key, mine] : a.values()) {
    const auto found = b.values().find(key);
    if (found == b.values().end()) continue;
    const std::vector<SeenValue>& other = found->second;
    for (std::size_t i = 0; i < std::max(mine.size(), other.size()); ++i) {
      // One that comes less often is the same each time, or has been found to be different.
      const SeenValue &x = mine[std::min(i, mine.size() - 1)], &y = other[std::min(i, other.size() - 1)];
      if (x.shape != y.shape || (!reads && (x.read || y.read))) continue;
      ++comparison.compared;
      if (x.elements == y.elements || same_bits(*x.elements, *y.elements)) continue;
      ValueDistance difference{.key = key, .phase = x.phase, .order = x.order, .shape = x.shape, .distance = {}};
      difference.distance.add(*x.elements, *y.elements);
      comparison.differences.push_back(std::move(difference));
    }
  }
  std::ranges::stable_sort(comparison.differences, [](const ValueDistance& x, const ValueDistance& y) {
    return std::pair(x.order, x.key.micro_batch) < std::pair(y.order, y.key.micro_batch);
  });
  return comparison;
}

}  // namespace phasor::run
