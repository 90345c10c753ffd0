#include "io/figures/axis.h"

#include <gtest/gtest.h>

namespace phasor::io {
namespace {

std::string texts(const Axis& axis) {
  std::string joined;
  for (const Tick& tick : axis.ticks) joined += (joined.empty() ? "" : " ") + tick.text;
  return axis.unit.empty() ? joined : joined + " " + axis.unit;
}

TEST(Axis, TicksAreRoundNumbersOfTheirUnit) {
  EXPECT_EQ(texts(make_axis(0, 2.9, 6, Unit::number)), "0.0 0.5 1.0 1.5 2.0 2.5 3.0");
  EXPECT_EQ(texts(make_axis(0, 11000, 5, Unit::number)), "0 5,000 10,000 15,000");
  EXPECT_EQ(texts(make_axis(0, 6e-5, 3, Unit::number)), "0 2e-5 4e-5 6e-5");
  EXPECT_EQ(texts(make_axis(0, 1e-5, 2, Unit::number)), "0 5e-6 1.0e-5");
  EXPECT_EQ(texts(make_axis(-1, 1, 4, Unit::number)), "-1.0 -0.5 0.0 0.5 1.0");
  EXPECT_EQ(texts(make_axis(0, 300 * 0x1p20, 4, Unit::bytes)), "0 100 200 300 MiB");
  EXPECT_EQ(texts(make_axis(0, 0.0042, 5, Unit::seconds)), "0 1 2 3 4 5 ms");
  EXPECT_EQ(texts(make_axis(0, 90, 3, Unit::seconds)), "0.0 0.5 1.0 1.5 min");
}

TEST(Axis, HoldsItsRangeAndEndsAtTicksOnlyIfItExtends) {
  for (const auto& [low, high] : {std::pair{0.0, 1.0}, {-3.7, 12.2}, {1e-9, 2e-9}, {1000.0, 1001.0}, {5.0, 5.0}}) {
    for (const Unit unit : {Unit::number, Unit::bytes, Unit::seconds}) {
      const Axis wide = make_axis(low, high, 5, unit), tight = make_axis(low, high, 5, unit, false);
      EXPECT_LE(wide.low, low);
      EXPECT_GE(wide.high, high);
      EXPECT_NEAR(wide.ticks.front().value, wide.low, (wide.high - wide.low) * 1e-9);
      EXPECT_NEAR(wide.ticks.back().value, wide.high, (wide.high - wide.low) * 1e-9);
      if (low < high) {
        EXPECT_EQ(tight.low, low);
        EXPECT_EQ(tight.high, high);
      }
      for (const Tick& tick : tight.ticks) {
        EXPECT_GE(tick.value, tight.low - (tight.high - tight.low) * 1e-9);
        EXPECT_LE(tick.value, tight.high + (tight.high - tight.low) * 1e-9);
      }
      EXPECT_LT(tight.ticks.size(), 8U);
    }
  }
}

TEST(Axis, PlacesValuesInProportion) {
  const Axis axis{.low = 10, .high = 20};
  EXPECT_EQ(axis.place(10, 100, 200), 100);
  EXPECT_EQ(axis.place(15, 100, 200), 150);
  EXPECT_EQ(axis.place(20, 200, 100), 100);
}

TEST(Quantity, ReadsWithItsUnit) {
  EXPECT_EQ(quantity_text(432603136, Unit::bytes), "412.6 MiB");
  EXPECT_EQ(quantity_text(512 * 0x1p20, Unit::bytes), "512 MiB");
  EXPECT_EQ(quantity_text(0, Unit::bytes), "0 B");
  EXPECT_EQ(quantity_text(1.25, Unit::seconds), "1.25 s");
  EXPECT_EQ(quantity_text(0.00042, Unit::seconds), "420 µs");
  EXPECT_EQ(quantity_text(12345, Unit::number), "12,345");
  EXPECT_EQ(quantity_text(0.03125, Unit::number), "0.03125");
}

}  // namespace
}  // namespace phasor::io
