// What the tests of Product and Matmul share: matrices with something unreadable between their rows, a product with its
// surroundings guarded, and what rounding can do to it.
#pragma once

#include <algorithm>
#include <cstring>

#include "engine/kernels/product/product.h"
#include "tests/support/inputs.h"
#include "tests/support/tolerance.h"

namespace phasor::test {

using kernels::ProductShape;

inline constexpr double kBfloat16Roundoff = 0x1p-8;

// A matrix of f32 or bf16 as it is stored, with room behind it. Everything is NaN until it is set.
class StoredMatrix {
 public:
  StoredMatrix(std::int64_t rows, std::int64_t columns, std::int64_t stride, DType type)
      : rows_(rows), columns_(columns), stride_(stride == 0 ? columns : stride), type_(type) {
    if (type == DType::bf16) {
      narrow_.assign(stored_size(), to_bfloat16(NAN));
    } else {
      wide_.assign(stored_size(), NAN);
    }
  }

  void fill(const Floats& values) {
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t j = 0; j < columns_; ++j) set(i * stride_ + j, values[i * columns_ + j]);
  }
  double at(std::int64_t row, std::int64_t column) const { return get(row * stride_ + column); }
  void* data() { return type_ == DType::bf16 ? static_cast<void*>(narrow_.data()) : wide_.data(); }

  friend bool same_bits(const StoredMatrix& x, const StoredMatrix& y) {
    return x.narrow_ == y.narrow_ && test::same_bits(x.wide_, y.wide_);
  }

  // Between the rows, and behind the last.
  bool padding_is_untouched() const {
    for (std::int64_t i = 0; i < rows_; ++i)
      for (std::int64_t j = columns_; j < stride_; ++j)
        if (!std::isnan(get(i * stride_ + j))) return false;
    for (std::int64_t i = rows_ * stride_; i < stored_size(); ++i)
      if (!std::isnan(get(i))) return false;
    return true;
  }

 private:
  std::int64_t stored_size() const { return (rows_ + 2) * stride_ + 64; }
  double get(std::int64_t i) const { return type_ == DType::bf16 ? to_float(narrow_[i]) : wide_[i]; }
  void set(std::int64_t i, float x) {
    if (type_ == DType::bf16) {
      narrow_[i] = to_bfloat16(x);
    } else {
      wide_[i] = x;
    }
  }

  std::int64_t rows_, columns_, stride_;
  DType type_;
  Buffer<bfloat16> narrow_;
  Floats wide_;
};

using Generator = Floats (*)(std::uint64_t, std::size_t);
inline constexpr Generator kGenerators[] = {[](std::uint64_t seed, std::size_t count) { return uniform(seed, count); },
                                            spread, cancelling};

// The matrices of one product, and a run of it.
class ProductCase {
 public:
  ProductCase(const ProductShape& s, Generator generator)
      : s_(s),
        a_(s.transpose_a ? s.k : s.m, s.transpose_a ? s.m : s.k, s.lda, s.operands),
        b_(s.transpose_b ? s.n : s.k, s.transpose_b ? s.k : s.n, s.ldb, s.operands),
        before_(s.m, s.n, s.ldc, s.result),
        bias_(generator(3, s.n)) {
    a_.fill(generator(1, s.m * s.k));
    b_.fill(generator(2, s.n * s.k));
    if (s.accumulate) before_.fill(generator(4, s.m * s.n));
  }

  void* b() { return b_.data(); }

  // run(a, b, bias, c, scratch) with so much scratch. Returns c; neither its padding nor what surrounds the scratch may
  // have changed.
  template <class Run>
  StoredMatrix result_of(std::int64_t scratch_bytes, Run run) {
    constexpr std::int64_t kGuard = 64;
    constexpr std::byte kGuardByte{0xA5}, kNan{0xFF};
    Buffer<std::byte> scratch(scratch_bytes + 2 * kGuard, kNan);
    std::fill_n(scratch.begin(), kGuard, kGuardByte);
    std::fill_n(scratch.end() - kGuard, kGuard, kGuardByte);
    StoredMatrix c = before_;
    run(a_.data(), b_.data(), s_.bias ? bias_.data() : nullptr, c.data(),
        std::span(scratch).subspan(kGuard, scratch_bytes));
    const auto guards = [=](std::byte x) { return x == kGuardByte; };
    EXPECT_TRUE(std::all_of(scratch.begin(), scratch.begin() + kGuard, guards));
    EXPECT_TRUE(std::all_of(scratch.end() - kGuard, scratch.end(), guards));
    EXPECT_TRUE(c.padding_is_untouched());
    return c;
  }

  // Every step-th row, and the last. Operands are exact; k products, bias and c are added up in f32, in whatever order;
  // the sum may be rounded once more.
  void expect_right(const StoredMatrix& c, std::int64_t step = 1) const {
    for (std::int64_t i = 0; i < s_.m; i = i + step < s_.m || i == s_.m - 1 ? i + step : s_.m - 1)
      for (std::int64_t j = 0; j < s_.n; ++j) {
        const double start = (s_.bias ? bias_[j] : 0.0) + (s_.accumulate ? before_.at(i, j) : 0.0);
        double sum = start,
               size = (s_.bias ? std::abs(bias_[j]) : 0.0) + (s_.accumulate ? std::abs(before_.at(i, j)) : 0);
        for (std::int64_t l = 0; l < s_.k; ++l) {
          const double term =
              (s_.transpose_a ? a_.at(l, i) : a_.at(i, l)) * (s_.transpose_b ? b_.at(j, l) : b_.at(l, j));
          sum += term;
          size += std::abs(term);
        }
        double bound = rounding(static_cast<double>(s_.k) + 2) * size;
        if (s_.result == DType::bf16) bound += (std::abs(sum) + bound) * kBfloat16Roundoff;
        ASSERT_LE(std::abs(c.at(i, j) - sum), bound + FLT_MIN)
            << "at " << i << ", " << j << ": " << c.at(i, j) << ", expected " << sum;
      }
  }

 private:
  ProductShape s_;
  StoredMatrix a_, b_, before_;
  Floats bias_;
};

inline testing::Message describe(const ProductShape& s) {
  return testing::Message() << s.m << " x " << s.n << " x " << s.k << ", strides " << s.lda << ' ' << s.ldb << ' '
                            << s.ldc << ", transposed " << s.transpose_a << s.transpose_b << ", " << name_of(s.operands)
                            << " -> " << name_of(s.result) << ", bias " << s.bias << ", accumulate " << s.accumulate
                            << ", packed " << s.packed_b;
}

// The shape in every combination of types and transposes, with and without bias and accumulation.
inline std::vector<ProductShape> variants(const ProductShape& shape) {
  constexpr std::pair<DType, DType> kTypes[] = {
      {DType::f32, DType::f32}, {DType::bf16, DType::f32}, {DType::bf16, DType::bf16}};
  std::vector<ProductShape> all;
  for (const auto& [operands, result] : kTypes)
    for (int bits = 0; bits < 16; ++bits) {
      ProductShape s = shape;
      s.operands = operands;
      s.result = result;
      s.transpose_a = (bits & 1) != 0;
      s.transpose_b = (bits & 2) != 0;
      s.bias = (bits & 4) != 0;
      s.accumulate = (bits & 8) != 0;
      if (!s.accumulate || result == DType::f32) all.push_back(s);
    }
  return all;
}

}  // namespace phasor::test
