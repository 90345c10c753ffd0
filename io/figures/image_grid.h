// Small pictures side by side, each with a line below it.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace phasor::io {

struct GridImage {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::uint8_t> ink;  // [rows, columns]; 0: the ground, 255: black
  std::string caption;
};

// A Figure's picture (page.h), `across` images in a row. Ink is shown in sixteen shades.
std::string draw_image_grid(const std::string& label, std::span<const GridImage> images, int across);

}  // namespace phasor::io
