#include "engine/kernels/square_sum.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/kernels/simd/pieces.h"

namespace phasor::kernels {

namespace {

using SquareSum = std::array<std::int64_t, kSquareSumNumbers>;

constexpr int kLimbBits = 32;
constexpr std::int64_t kLimbMask = 0xFFFFFFFF;

constexpr std::int64_t kRun = 1024;  // elements whose squares lie on the stack
constexpr int kFoldBits = 51;        // of the squares that are summed at a time, as integers; kRun such sum to 62 bits

// sum += value * 2^bit units. Lets limbs grow out of their range, by 2^33 at most, until carry() is called.
void add_shifted(std::int64_t value, int bit, std::span<std::int64_t> sum) {
  const int limb = bit / kLimbBits, shift = bit % kLimbBits;
  const std::int64_t low = (value & kLimbMask) << shift, high = (value >> kLimbBits) << shift;
  sum[limb] += low & kLimbMask;
  sum[limb + 1] += (low >> kLimbBits) + (high & kLimbMask);
  sum[limb + 2] += high >> kLimbBits;
}

void carry(std::span<std::int64_t> sum) {
  for (int limb = 0; limb + 1 < kSquareSumLimbs; ++limb) {
    sum[limb + 1] += sum[limb] >> kLimbBits;
    sum[limb] &= kLimbMask;
  }
}

constexpr std::uint32_t kMagnitude = 0x7FFFFFFF, kInfinity = 0x7F800000;  // of the bits of a float
std::uint32_t magnitude_bits(float x) { return std::bit_cast<std::uint32_t>(x) & kMagnitude; }

// Takes off every q[i], below 2^(bottom + kFoldBits), its nearest multiple of 2^bottom and adds those to `sum`. Added
// to 1.5 * 2^(bottom + 52), q[i] loses just the bits below 2^bottom and shows the others as an integer. Returns whether
// anything is left.
bool take_fold(std::span<double> q, int bottom, std::span<std::int64_t> sum) {
  const double magic = std::ldexp(1.5, bottom + 52);
  std::int64_t taken = 0;
  std::uint64_t rests = 0;
  for (double& value : q) {
    const double shifted = value + magic;
    taken += std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(magic);
    value -= shifted - magic;
    rests |= std::bit_cast<std::uint64_t>(value);
  }
  add_shifted(taken, bottom - kSquareSumUnit, sum);
  return rests != 0;
}

// The squares of x, at most kRun elements, all below 2^exponent.
void add_squares(std::span<const float> x, int exponent, std::span<std::int64_t> sum) {
  std::array<double, kRun> squares;  // each exact
  const auto q = std::span(squares).first(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) q[i] = double{x[i]} * double{x[i]};
  bool rests = true;
  for (int bottom = 2 * exponent - kFoldBits; rests; bottom -= kFoldBits) {
    bottom = std::max(bottom, kSquareSumUnit);
    rests = take_fold(q, bottom, sum);
  }
}

void add_run(std::span<const float> x, std::span<std::int64_t> sum) {
  std::uint32_t largest = 0;  // bits of positive floats are in their order
  for (float value : x) largest = std::max(largest, magnitude_bits(value));
  if (largest == 0) return;
  if (largest < kInfinity) return add_squares(x, std::ilogb(std::bit_cast<float>(largest)) + 1, sum);
  std::array<float, kRun> finite{};
  for (std::size_t i = 0; i < x.size(); ++i) {
    const bool bad = magnitude_bits(x[i]) >= kInfinity;
    finite[i] = bad ? 0 : x[i];
    sum[kSquareSumLimbs] += bad;
  }
  add_run(finite, sum);
}

}  // namespace

void square_sum(std::span<const float> x, std::span<std::int64_t> sum) {
  constexpr std::int64_t kMostPieces = 64;
  const auto count = static_cast<std::int64_t>(x.size());
  const std::int64_t runs = (count + kGrain - 1) / kGrain;
  const std::int64_t length = std::max<std::int64_t>(1, (runs + kMostPieces - 1) / kMostPieces) * kGrain;
  std::array<SquareSum, kMostPieces> parts{};
  parallel_for_ranges(count, length, [&](std::int64_t begin, std::int64_t end) {
    SquareSum part{};
    for (std::int64_t i = begin; i < end; i += kRun) add_run(x.subspan(i, std::min(kRun, end - i)), part);
    carry(part);
    parts[begin / length] = part;
  });
  for (const SquareSum& part : parts) {
    for (int i = 0; i < kSquareSumNumbers; ++i) sum[i] += part[i];
  }
  carry(sum);
}

void square_sum_alone(std::span<const float> x, std::span<std::int64_t> sum) {
  const auto count = static_cast<std::int64_t>(x.size());
  for (std::int64_t i = 0; i < count; i += kRun) add_run(x.subspan(i, std::min(kRun, count - i)), sum);
  carry(sum);
}

void add_square_sums(std::span<const std::int64_t> others, std::span<std::int64_t> sum) {
  for (std::size_t i = 0; i < others.size(); ++i) sum[i % kSquareSumNumbers] += others[i];
  carry(sum);
}

double square_sum_value(std::span<const std::int64_t> sum) {
  if (sum[kSquareSumLimbs] != 0) return std::numeric_limits<double>::quiet_NaN();
  double value = 0;
  for (int limb = kSquareSumLimbs - 1; limb >= 0; --limb) value = value * 0x1p32 + static_cast<double>(sum[limb]);
  return std::ldexp(value, kSquareSumUnit);
}

}  // namespace phasor::kernels
