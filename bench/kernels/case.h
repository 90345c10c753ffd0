// One benchmark of a kernel on a shape of BERT base, or of a network for digits: what to run, what to compare it with,
// what to divide by time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "engine/base/bfloat16.h"
#include "engine/base/random.h"
#include "engine/base/tensor.h"
#include "engine/kernels/product/product.h"

namespace phasor::bench {

inline constexpr std::int64_t kBatch = 4, kSequence = 384, kHeads = 12, kHeadSize = 64, kVocabulary = 30522;
inline constexpr std::int64_t kTokens = kBatch * kSequence, kHidden = kHeads * kHeadSize, kInner = 4 * kHidden;
inline constexpr RandomPosition kPosition{.seed = 1, .step = 2};

using Doubles = std::vector<double>;

enum class Limit : std::uint8_t {
  products,  // work is floating-point operations on operands of the case's type
  memory,    // work is bytes that must move, each read or written once
};

// A result, or its first elements, and what the reference computes in double from the same inputs.
struct Comparison {
  Doubles actual, expected;
};

struct KernelCase {
  std::string name;  // "matmul/qkv"
  Limit limit{};
  DType type = DType::f32;    // of what is multiplied and of what lies in memory
  double work = 0;            // of one run
  std::function<void()> run;  // on the calling thread's team, of the `threads` that the case was made for
  std::function<std::vector<Comparison>()> compare;  // after run
  std::optional<kernels::ProductShape> product;      // where the kernel is nothing but a matrix product: which
  // Another case whose time this one's is also a share of, and what it runs: the two are timed in turns.
  std::string beside;
  std::function<void()> run_beside;
  // Of the largest expected element: enough to tell right from wrong. The tests are the strict ones.
  double tolerance() const { return type == DType::f32 ? 4096 * 0x1p-24 : 16 * 0x1p-9; }  // roundings of the type
};

// Makes a case when its turn comes, so that no two hold memory at the same time.
struct KernelEntry {
  std::string name;
  std::function<KernelCase(int threads)> make;
};

// Elements at the engine's alignment, shared by the functions of a case: copies are the same elements.
template <class T>
class Elements {
 public:
  explicit Elements(std::int64_t count) : tensor_(std::make_shared<Tensor>(TensorSpec{dtype_of<T>, {count}})) {}
  std::span<const T> in() const { return tensor_->template as<T>(); }
  std::span<T> out() const { return tensor_->template as<T>(); }

 private:
  std::shared_ptr<Tensor> tensor_;
};
using Floats = Elements<float>;

// Uniform in [low, 1), a function of (seed, i), rounded to T.
template <class T = float>
Elements<T> uniform(std::uint64_t seed, std::int64_t count, float low = -1);
std::vector<std::int32_t> random_ids(std::uint64_t seed, std::int64_t count, std::int64_t end);

template <class T>
Doubles widen(std::span<const T> x) {
  Doubles wide(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) wide[i] = to_float(x[i]);
  return wide;
}
template <class T>
Doubles widen(const Elements<T>& x) {
  return widen(x.in());
}
template <class T = float>
double bytes_of(std::int64_t count) {
  return static_cast<double>(sizeof(T)) * static_cast<double>(count);
}

// "gelu", and of bfloat16 "gelu/bfloat16".
template <class T>
std::string case_name(const std::string& name) {
  return std::is_same_v<T, float> ? name : name + "/bfloat16";
}

}  // namespace phasor::bench
