#include "io/safetensors/float16.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace phasor::io {
namespace {

constexpr int kValues = 1 << 16;

float16 make(int bits) { return {static_cast<std::uint16_t>(bits)}; }

// The value by the standard's definition, in double, where nothing rounds.
double defined_value(int bits) {
  const int exponent = bits >> 10 & 0x1F, fraction = bits & 0x3FF;
  const double sign = bits & 0x8000 ? -1 : 1;
  if (exponent == 0x1F) {
    return fraction ? std::numeric_limits<double>::quiet_NaN() : sign * std::numeric_limits<double>::infinity();
  }
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25));
}

TEST(Float16, EveryValueBecomesTheSameFloat) {
  for (int bits = 0; bits < kValues; ++bits) {
    const float value = to_float(make(bits));
    const double expected = defined_value(bits);
    ASSERT_EQ(std::isnan(value), std::isnan(expected)) << bits;
    if (!std::isnan(expected)) {
      ASSERT_EQ(value, expected) << bits;
    } else {
      ASSERT_EQ(std::bit_cast<std::uint32_t>(value) & 0x7FFFFF, (bits & 0x3FFu) << 13) << "payload of " << bits;
    }
    ASSERT_EQ(std::signbit(value), (bits & 0x8000) != 0) << bits;
  }
}

TEST(Float16, EveryValueComesBack) {
  for (int bits = 0; bits < kValues; ++bits) {
    const float value = to_float(make(bits));
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(to_float(to_float16(value)))) << bits;
    } else {
      ASSERT_EQ(to_float16(value), make(bits)) << bits;
    }
  }
}

// Between neighbours the nearer one is taken, and in the middle the even one.
TEST(Float16, RoundsToNearestTiesToEven) {
  for (int bits = 0; bits < 0x7C00; ++bits) {
    // What comes behind the largest is what would be if there were another exponent.
    const double low = defined_value(bits), high = bits == 0x7BFF ? 65536 : defined_value(bits + 1);
    const auto middle = static_cast<float>((low + high) / 2);
    ASSERT_EQ(middle, (low + high) / 2);
    for (const int sign : {0, 0x8000}) {
      const auto round = [&](float x) { return to_float16(sign ? -x : x); };
      ASSERT_EQ(round(middle), make(sign | (bits % 2 == 0 ? bits : bits + 1))) << bits;
      ASSERT_EQ(round(std::nextafter(middle, 0.0f)), make(sign | bits)) << bits;
      ASSERT_EQ(round(std::nextafter(middle, 1e9f)), make(sign | (bits + 1))) << bits;
    }
  }
}

TEST(Float16, WhatIsTooLargeOrTooSmall) {
  EXPECT_EQ(to_float16(1e30f), make(0x7C00));
  EXPECT_EQ(to_float16(-std::numeric_limits<float>::infinity()), make(0xFC00));
  EXPECT_EQ(to_float16(std::numeric_limits<float>::denorm_min()), make(0));
  EXPECT_EQ(to_float16(-1e-30f), make(0x8000));
}

}  // namespace
}  // namespace phasor::io
