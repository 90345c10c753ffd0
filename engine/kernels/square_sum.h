// The sum of the squares of floats, exact: no order of the elements and no division of them into parts, be they pieces,
// variables, slices or shards, shows in it.
//
// A sum is kSquareSumNumbers integers. The first kSquareSumLimbs are a number in base 2^32, lowest limb first, in units
// of 2^-298, the square of the smallest float; every limb but the last is in [0, 2^32). It has room for 2^40 squares of
// the largest float. The last integer counts elements that are infinite or not numbers. All zero: the sum of nothing.
#pragma once

#include <cstdint>
#include <span>

namespace phasor::kernels {

inline constexpr int kSquareSumLimbs = 19, kSquareSumNumbers = kSquareSumLimbs + 1;
inline constexpr int kSquareSumUnit = -298;  // exponent of 2

// sum += sum of x[i]^2
void square_sum(std::span<const float> x, std::span<std::int64_t> sum);

// The same, on the calling thread alone.
void square_sum_alone(std::span<const float> x, std::span<std::int64_t> sum);

// sum += each of `others`, which are sums one behind the other.
void add_square_sums(std::span<const std::int64_t> others, std::span<std::int64_t> sum);

// Off by two roundings at most; not a number where an element was infinite or not a number.
double square_sum_value(std::span<const std::int64_t> sum);

}  // namespace phasor::kernels
