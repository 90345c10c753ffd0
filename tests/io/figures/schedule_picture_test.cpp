#include "io/figures/schedule_picture.h"

#include <gtest/gtest.h>

#include "io/figures/arena_picture.h"
#include "io/figures/picture.h"

namespace phasor::io {
namespace {
namespace schedule_picture_test {

int count_of(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

SchedulePicture small_schedule() {
  return {.title = "a < b",
          .kinds = {"forward", "gradient"},
          .rows = {{.name = "device 0", .note = "idle 25.0 %", .boxes = {{"x", 0, 0, 1}, {"dx", 1, 2, 4}}},
                   {.name = "device 1", .note = "idle 75.0 %", .boxes = {{"y", 1, 1, 2}}}},
          .seconds = 4};
}

struct Corner {
  double x = 0, y = 0, width = 0;
};
Corner box_named(const std::string& svg, const std::string& name) {
  const std::size_t begin = svg.rfind("<rect class=\"work\"", svg.find("<title>" + name + ":"));
  Corner corner;
  EXPECT_EQ(std::sscanf(svg.c_str() + begin, "<rect class=\"work\" x=\"%lf\" y=\"%lf\" width=\"%lf\"", &corner.x,
                        &corner.y, &corner.width),
            3);
  return corner;
}

TEST(SchedulePictureTest, ARowADeviceAndABoxAPieceOfWork) {
  const std::string svg = schedule_svg(small_schedule());
  EXPECT_EQ(count_of(svg, "class=\"work\""), 3);
  for (const char* text : {">forward<", ">gradient<", ">device 0<", ">device 1<", ">idle 75.0 %<", ">a &lt; b<"})
    EXPECT_EQ(count_of(svg, text), 1) << text;
  const Corner x = box_named(svg, "x"), dx = box_named(svg, "dx"), y = box_named(svg, "y");
  EXPECT_EQ(x.y, dx.y);
  EXPECT_GT(y.y, x.y);
  EXPECT_NEAR(dx.width, 2 * x.width, 0.02);
  EXPECT_NEAR(y.x, x.x + x.width, 0.02);  // where the first row has a gap
  EXPECT_NEAR(dx.x, y.x + y.width, 0.02);
}

TEST(SchedulePictureTest, BoxesThatTheEyeCannotTellApartAreOne) {
  SchedulePicture picture = small_schedule();
  picture.rows = {{.name = "device 0", .note = "", .boxes = {}}};
  for (int i = 0; i < 10'000; ++i) picture.rows[0].boxes.push_back({"layer", 0, 4 * i * 1e-4, 4 * (i + 1) * 1e-4});
  EXPECT_LT(count_of(schedule_svg(picture), "class=\"work\""), 1000);
}

TEST(SchedulePictureTest, PicturesUnderEachOther) {
  const std::string one = schedule_svg(small_schedule());
  const std::string arena = arena_svg({.title = "arena", .kinds = {"weights"}, .blocks = {}, .phases = {}});
  const std::string both = stacked_svg({one, arena});
  EXPECT_EQ(count_of(both, "<svg "), 3);
  EXPECT_EQ(count_of(both, "</svg>"), 3);
  double below = 0;
  ASSERT_EQ(std::sscanf(both.c_str() + both.rfind("<svg "), "<svg x=\"0\" y=\"%lf\"", &below), 1);
  EXPECT_EQ(count_of(one, "viewBox=\"0 0 1200 " + std::to_string(static_cast<int>(below)) + "\""), 1);
}

}  // namespace schedule_picture_test
}  // namespace
}  // namespace phasor::io
