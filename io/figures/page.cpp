#include "io/figures/page.h"

#include <fmt/format.h>

#include "io/figures/svg.h"

namespace phasor::io {

namespace {

// Pixels of drawings, so that letters in them come out as large as others.
constexpr int kWholeWidth = 1080, kHalfWidth = 520, kTabletWidth = 640, kPhoneWidth = 340;

std::string drawings_html(const Figure& figure) {
  if (!figure.picture.empty()) return fmt::format("<div class=\"picture\">{}</div>\n", figure.picture);
  const std::string wide = figure.draw(figure.whole_width ? kWholeWidth : kHalfWidth);
  const std::string middle = figure.draw(kTabletWidth);
  const std::string narrow = figure.draw(kPhoneWidth);
  return fmt::format("<div class=\"wide\">{}</div>\n<div class=\"middle\">{}</div>\n<div class=\"narrow\">{}</div>\n",
                     wide, middle, narrow);
}

std::string figure_html(const Figure& figure) {
  const std::string note = figure.note.empty() ? "" : fmt::format("<p>{}</p>\n", escape_markup(figure.note));
  return fmt::format("<figure class=\"card{}\">\n<figcaption><h2>{}</h2>\n{}</figcaption>\n{}</figure>\n",
                     figure.whole_width ? " whole" : "", escape_markup(figure.title), note, drawings_html(figure));
}

std::string table_html(const Table& table) {
  std::string html = fmt::format("<section class=\"card\">\n<h2>{}</h2>\n<table>\n", escape_markup(table.title));
  for (const auto& [name, value] : table.rows) {
    html += fmt::format("<tr><th scope=\"row\">{}</th><td>{}</td></tr>\n", escape_markup(name), escape_markup(value));
  }
  return html + "</table>\n</section>\n";
}

std::string tiles_html(const std::vector<Tile>& tiles) {
  std::string html = "<section class=\"tiles\">\n";
  for (const Tile& tile : tiles) {
    html += fmt::format(
        "<div class=\"tile\"><span class=\"name\">{}</span><span class=\"value\">{}</span>"
        "<span class=\"note\">{}</span></div>\n",
        escape_markup(tile.name), escape_markup(tile.value), escape_markup(tile.note));
  }
  return html + "</section>\n";
}

}  // namespace

std::string to_html(const Page& page) {
  std::string html = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n"
      "<main>\n<header>\n<h1>{}</h1>\n<p>{}</p>\n</header>\n",
      escape_markup(page.title), page_style(), escape_markup(page.title), escape_markup(page.subtitle));
  if (!page.tiles.empty()) html += tiles_html(page.tiles);
  html += "<div class=\"cards\">\n";
  for (const Figure& figure : page.figures) html += figure_html(figure);
  for (const Table& table : page.tables) html += table_html(table);
  html += "</div>\n";
  if (!page.preformatted.empty()) {
    html += fmt::format("<section class=\"card text\">\n<h2>{}</h2>\n<pre>{}</pre>\n</section>\n",
                        escape_markup(page.preformatted_title), escape_markup(page.preformatted));
  }
  return html + "</main>\n</body>\n</html>\n";
}

}  // namespace phasor::io
