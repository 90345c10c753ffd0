// A page of figures that stands alone: one HTML file without scripts or links, for wide screens and phones, light and
// dark, and paper.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace phasor::io {

// A number that matters, in large type.
struct Tile {
  std::string name, value, note;
};

struct Figure {
  std::string title;
  std::string note;          // below the title, in a sentence or two
  bool whole_width = false;  // else two stand side by side where there is room
  // An svg element of about that many pixels' width. Called for wide screens, for tablets and paper, and for phones: a
  // screen shows the one in which letters come out as large as others.
  std::function<std::string(int width)> draw;
  // Instead: an svg element in colours of its own, for a light ground. Phones show a part and move over the rest.
  std::string picture;
};

struct Table {
  std::string title;
  std::vector<std::pair<std::string, std::string>> rows;
};

struct Page {
  std::string title, subtitle;
  std::vector<Tile> tiles;
  std::vector<Figure> figures;
  std::vector<Table> tables;
  std::string preformatted_title, preformatted;  // a text as it is, at the end
};

std::string to_html(const Page& page);

// What the page looks like: its style sheet, the styles of charts included.
std::string page_style();

}  // namespace phasor::io
