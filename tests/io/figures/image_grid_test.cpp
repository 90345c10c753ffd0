#include "io/figures/image_grid.h"

#include <gmock/gmock.h>

namespace phasor::io {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ImageGrid, DrawsRunsOfOneShade) {
  // A row of ground, ink, ink, ground, and one of three faint pixels behind a dark one.
  const GridImage image{.rows = 2, .columns = 4, .ink = {0, 255, 240, 0, 255, 32, 40, 47}, .caption = "a < b"};
  const std::string svg = draw_image_grid("digits", std::vector<GridImage>{image}, 2);
  EXPECT_THAT(svg, HasSubstr("stroke-opacity=\"1.00\" d=\"M1 0.5h2M0 1.5h1\""));
  EXPECT_THAT(svg, HasSubstr("stroke-opacity=\"0.13\" d=\"M1 1.5h3\""));
  EXPECT_THAT(svg, HasSubstr("a &lt; b"));
  EXPECT_THAT(svg, HasSubstr("aria-label=\"digits\""));
}

TEST(ImageGrid, BreaksRows) {
  const std::vector<GridImage> images(3, GridImage{.rows = 1, .columns = 1, .ink = {255}, .caption = "x"});
  const std::string svg = draw_image_grid("", images, 2);
  EXPECT_THAT(svg, HasSubstr("translate(0.0 0.0) scale(472.000)"));
  EXPECT_THAT(svg, HasSubstr("translate(480.0 0.0)"));
  EXPECT_THAT(svg, HasSubstr("translate(0.0 500.0)"));
  EXPECT_THAT(svg, Not(HasSubstr("translate(960.0")));
}

}  // namespace
}  // namespace phasor::io
