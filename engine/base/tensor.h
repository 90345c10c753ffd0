// What a tensor is (TensorSpec), where one lies (TensorView, no ownership) and one that owns its memory (Tensor).
#pragma once

#include <memory>
#include <span>
#include <string>

#include "engine/base/dtype.h"
#include "engine/base/error.h"
#include "engine/base/shape.h"

namespace phasor {

// Every tensor starts at a multiple of this many bytes: a cache line, and the widest vector register.
inline constexpr std::int64_t kAlignment = 64;

constexpr std::int64_t align_up(std::int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

struct TensorSpec {
  DType dtype = DType::f32;
  Shape shape;

  std::int64_t elements() const { return shape.elements(); }
  std::int64_t bytes() const { return elements() * size_of(dtype); }

  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

std::string to_string(const TensorSpec& spec);  // "f32[4, 384]"

// A tensor in memory that somebody else owns. Copying it copies the address, not the elements.
struct TensorView {
  TensorSpec spec;
  void* data = nullptr;

  // The elements as T; T must be the tensor's type.
  template <class T>
  std::span<T> as() const {
    ensure(spec.dtype == dtype_of<std::remove_const_t<T>>, "tensor: {} read as {}", name_of(spec.dtype),
           name_of(dtype_of<std::remove_const_t<T>>));
    return {static_cast<T*>(data), static_cast<std::size_t>(spec.elements())};
  }
};

// Zero-initialised memory at kAlignment, or null for 0 bytes. Large blocks are reserved lazily: pages that are never
// touched take no room.
struct FreeAligned {
  std::int64_t bytes = 0;
  void operator()(std::byte* data) const;
};
using AlignedBytes = std::unique_ptr<std::byte[], FreeAligned>;
AlignedBytes allocate_zeroed(std::int64_t bytes);

// Owns its elements, zero at first.
class Tensor {
 public:
  Tensor() = default;
  explicit Tensor(TensorSpec spec) : spec_(spec), bytes_(allocate_zeroed(spec.bytes())) {}

  const TensorSpec& spec() const { return spec_; }
  TensorView view() const { return {spec_, bytes_.get()}; }
  template <class T>
  std::span<T> as() const {
    return view().as<T>();
  }

 private:
  TensorSpec spec_;
  AlignedBytes bytes_;
};

}  // namespace phasor
