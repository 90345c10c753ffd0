#include "engine/kernels/product/panels/pack_lines.h"

#include <gtest/gtest.h>
#include <vector>

#include "engine/base/bfloat16.h"

namespace phasor::kernels {
namespace {

constexpr std::int64_t kPackedLines = 40, kPackedSteps = 30, kLineStride = 47;

// Whole numbers, which bfloat16 has, too, and of which no two are alike within a panel.
float value_of_line(std::int64_t line, std::int64_t step) {
  return static_cast<float>((line * 37 + step * 11) % 251 - 125);
}

template <class T>
std::vector<T> stored_lines(bool side_by_side) {
  const std::int64_t along = side_by_side ? kPackedLines : kPackedSteps, across = kPackedLines + kPackedSteps - along;
  std::vector<T> values(static_cast<std::size_t>((across - 1) * kLineStride + along), T{});  // nothing behind the last
  for (std::int64_t line = 0; line < kPackedLines; ++line)
    for (std::int64_t step = 0; step < kPackedSteps; ++step) {
      const std::int64_t place = side_by_side ? step * kLineStride + line : line * kLineStride + step;
      if constexpr (std::is_same_v<T, bfloat16>) {
        values[static_cast<std::size_t>(place)] = to_bfloat16(value_of_line(line, step));
      } else {
        values[static_cast<std::size_t>(place)] = value_of_line(line, step);
      }
    }
  return values;
}

template <class T>
void expect_panels(bool side_by_side, const LineRange& range, std::int64_t tile) {
  SCOPED_TRACE(testing::Message() << range.count << " lines from " << range.line << ", " << range.depth
                                  << " steps, tiles of " << tile << (side_by_side ? ", side by side" : ""));
  const std::vector<T> values = stored_lines<T>(side_by_side);
  const std::int64_t panels = (range.count + tile - 1) / tile;
  constexpr float kUntouched = 1000;
  std::vector<float> packed(static_cast<std::size_t>(panels * tile * range.depth + 1), kUntouched);
  pack_lines({.data = values.data(), .type = dtype_of<T>, .stride = kLineStride, .side_by_side = side_by_side}, range,
             tile, packed.data());
  for (std::int64_t line = 0; line < panels * tile; ++line)
    for (std::int64_t step = 0; step < range.depth; ++step) {
      const std::int64_t place = (line / tile * range.depth + step) * tile + line % tile;
      ASSERT_EQ(packed[static_cast<std::size_t>(place)],
                line < range.count ? value_of_line(range.line + line, range.step + step) : 0)
          << "line " << line << ", step " << step;
    }
  EXPECT_EQ(packed.back(), kUntouched);
}

TEST(PackLines, PutsEveryValueInItsPlace) {
  for (const bool side_by_side : {false, true})
    for (const std::int64_t tile : {4, 6, 7, 8, 12, 16})
      for (const LineRange& range : {LineRange{.line = 0, .count = 32, .step = 0, .depth = 24},
                                     LineRange{.line = 3, .count = 37, .step = 5, .depth = 21},
                                     LineRange{.line = 4, .count = 36, .step = 6, .depth = 24},
                                     LineRange{.line = 7, .count = 3, .step = 29, .depth = 1}}) {
        expect_panels<float>(side_by_side, range, tile);
        expect_panels<bfloat16>(side_by_side, range, tile);
      }
}

}  // namespace
}  // namespace phasor::kernels
