#include "io/figures/arena_picture.h"

#include <gtest/gtest.h>

namespace phasor::io {
namespace {

int occurrences(const std::string& text, const std::string& part) {
  int found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

ArenaPicture small_picture() {
  return {.title = "a < b & c",
          .kinds = {"weights", "activations"},
          .blocks = {{.name = "w<1>", .kind = 0, .offset = 0, .bytes = 512, .begin = 0, .end = 4},
                     {.name = "x", .kind = 1, .offset = 512, .bytes = 512, .begin = 0, .end = 1},
                     {.name = "x", .kind = 1, .offset = 512, .bytes = 512, .begin = 2, .end = 4}},
          .phases = {{"forward", 0, 2}, {"forward", 2, 3}, {"gradient", 3, 4}},
          .arena_bytes = 1024};
}

// The numbers of the first rectangle whose name begins so: x, y, width, height.
struct Rectangle {
  double x, y, width, height;
};
Rectangle block_named(const std::string& svg, const std::string& name) {
  const std::size_t title = svg.find("<title>" + name);
  const std::size_t begin = svg.rfind("<rect class=\"block\"", title);
  Rectangle r{};
  EXPECT_EQ(std::sscanf(svg.c_str() + begin, "<rect class=\"block\" x=\"%lf\" y=\"%lf\" width=\"%lf\" height=\"%lf\"",
                        &r.x, &r.y, &r.width, &r.height),
            4);
  return r;
}

TEST(ArenaPicture, ABlockARangeAndAColourAKind) {
  const std::string svg = arena_svg(small_picture());
  EXPECT_TRUE(svg.starts_with("<svg ")) << svg;
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_EQ(occurrences(svg, "class=\"block\""), 3);
  for (const char* text : {">weights<", ">activations<", ">forward x 2<", ">gradient<"})
    EXPECT_EQ(occurrences(svg, text), 1);
  EXPECT_EQ(occurrences(svg, "a &lt; b &amp; c"), 1);
  EXPECT_EQ(occurrences(svg, "w&lt;1&gt;, 512 bytes at 0"), 1);
}

TEST(ArenaPicture, PlacesFollowStepsAndOffsets) {
  const std::string svg = arena_svg(small_picture());
  const Rectangle w = block_named(svg, "w&lt;1&gt;"), x = block_named(svg, "x");
  EXPECT_NEAR(w.width, 4 * x.width, 0.05);
  EXPECT_NEAR(w.x, x.x, 0.01);
  EXPECT_NEAR(w.height, x.height, 0.05);
  EXPECT_NEAR(x.y + x.height, w.y, 0.05);  // right above it
}

TEST(ArenaPicture, TheBudgetIsALine) {
  ArenaPicture picture = small_picture();
  EXPECT_EQ(occurrences(arena_svg(picture), "budget"), 0);
  picture.budget_bytes = 1536;
  EXPECT_EQ(occurrences(arena_svg(picture), "class=\"budget\""), 1);
  picture.budget_bytes = 1 << 20;
  EXPECT_EQ(occurrences(arena_svg(picture), "class=\"budget\""), 0);
  EXPECT_EQ(occurrences(arena_svg(picture), "above this picture"), 1);
}

TEST(ArenaPicture, RangesTooCloseToBeToldApartAreOneBlock) {
  ArenaPicture picture = small_picture();
  picture.blocks.clear();
  constexpr int kSteps = 100'000;
  picture.phases = {{"long", 0, kSteps}};
  for (int step = 0; step < kSteps; step += 2) {
    picture.blocks.push_back({.name = "x", .offset = 0, .bytes = 8, .begin = step, .end = step + 1});
  }
  const std::string svg = arena_svg(picture);
  EXPECT_EQ(occurrences(svg, "class=\"block\""), 1);
  EXPECT_NEAR(block_named(svg, "x").width, 1060, 0.1);
}

TEST(ArenaPicture, NothingIsDrawable) { EXPECT_EQ(occurrences(arena_svg({}), "</svg>"), 1); }

}  // namespace
}  // namespace phasor::io
