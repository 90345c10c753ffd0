#include "io/figures/arena_picture.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "io/figures/axis.h"
#include "io/figures/svg.h"

namespace phasor::io {

namespace {

// All in pixels.
constexpr double kWidth = 1200, kHeight = 640;
constexpr double kLeft = 120, kRight = 1180, kTop = 76, kBottom = 520;
constexpr double kGap = 2;   // narrower ones are not drawn
constexpr int kOffsets = 5;  // steps between marks of offsets, about

// In the tones of the pages of reports (page_style.cpp), but the picture stands alone, too: it has no style sheet.
constexpr std::array kContentColours{"#2f6fde", "#d0435a", "#e2762c", "#c89b13", "#8757cf",
                                     "#1391a4", "#8f9bab", "#1d9a6c", "#882255", "#555555"};

class Drawing {
 public:
  explicit Drawing(const ArenaPicture& picture)
      : picture_(picture),
        first_(picture.phases.empty() ? 0 : picture.phases.front().begin),
        steps_(std::max(1, picture.phases.empty() ? 1 : picture.phases.back().end - first_)),
        // A budget far above leaves the blocks room enough to be seen.
        top_bytes_(static_cast<double>(std::max<std::int64_t>(
            1, std::max(picture.arena_bytes, std::min(picture.budget_bytes, 2 * picture.arena_bytes))))) {}

  std::string run() {
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n",
        kWidth, kHeight, kWidth, kHeight);
    label(kLeft, 24, "start", picture_.title, " font-size=\"16\"");
    legend();
    offsets();
    blocks();
    phases();
    budget();
    return text_ + "</svg>\n";
  }

 private:
  double x_of(int step) const { return kLeft + (kRight - kLeft) * (step - first_) / steps_; }
  double y_of(double offset) const { return kBottom - (kBottom - kTop) * offset / top_bytes_; }

  void label(double x, double y, const char* anchor, const std::string& what, const std::string& more = "") {
    text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                         escape_markup(what));
  }
  void line(double x1, double y1, double x2, double y2, const char* style) {
    text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" {}/>\n", x1, y1, x2, y2, style);
  }

  void legend() {
    double x = kLeft;
    for (std::size_t kind = 0; kind < picture_.kinds.size(); ++kind) {
      text_ += fmt::format("<rect x=\"{:.1f}\" y=\"40\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x,
                           kContentColours[kind % kContentColours.size()]);
      label(x + 17, 51, "start", picture_.kinds[kind]);
      x += 40 + 7 * static_cast<double>(picture_.kinds[kind].size());
    }
  }

  void offsets() {
    const Axis axis = make_axis(0, top_bytes_, kOffsets, Unit::bytes, false);
    for (const Tick& tick : axis.ticks) {
      line(kLeft - 5, y_of(tick.value), kRight, y_of(tick.value), "stroke=\"#dddddd\"");
      label(kLeft - 9, y_of(tick.value) + 4, "end", fmt::format("{} {}", tick.text, axis.unit));
    }
  }

  void blocks() {
    std::map<std::pair<std::string, std::int64_t>, ArenaBlock> open;  // by name and offset, not drawn yet
    for (const ArenaBlock& block : picture_.blocks) {
      const auto [before, is_new] = open.try_emplace({block.name, block.offset}, block);
      if (is_new) continue;
      if (x_of(block.begin) - x_of(before->second.end) < kGap) {
        before->second.end = std::max(before->second.end, block.end);
      } else {
        draw(std::exchange(before->second, block));
      }
    }
    for (const auto& [place, block] : open) draw(block);
  }

  void draw(const ArenaBlock& block) {
    const double x = x_of(block.begin), y = y_of(static_cast<double>(block.offset + block.bytes));
    const double width = x_of(block.end) - x, height = y_of(static_cast<double>(block.offset)) - y;
    const bool framed = width > 3 && height > 3;
    text_ += fmt::format(
        "<rect class=\"block\" x=\"{:.2f}\" y=\"{:.2f}\" width=\"{:.2f}\" height=\"{:.2f}\" fill=\"{}\"{}>"
        "<title>{}, {} bytes at {}</title></rect>\n",
        x, y, width, height, kContentColours[static_cast<std::size_t>(block.kind) % kContentColours.size()],
        framed ? " stroke=\"#ffffff\" stroke-width=\"0.4\"" : "", escape_markup(block.name), block.bytes, block.offset);
  }

  void phases() {
    label(kRight, kHeight - 12, "end", "program steps, from left to right");
    line(kLeft, kBottom, kRight, kBottom, "stroke=\"#333333\"");
    const auto& all = picture_.phases;
    for (std::size_t first = 0, next = 0; first < all.size(); first = next) {
      while (next < all.size() && all[next].name == all[first].name) {
        line(x_of(all[next].begin), kBottom, x_of(all[next].begin), kBottom + 4, "stroke=\"#999999\"");
        ++next;
      }
      line(x_of(all[first].begin), kTop, x_of(all[first].begin), kBottom + 9,
           "stroke=\"#333333\" stroke-width=\"0.6\"");
      const double x = (x_of(all[first].begin) + x_of(all[next - 1].end)) / 2, y = kBottom + 20;
      const std::string count = next - first > 1 ? fmt::format(" x {}", next - first) : "";
      label(x, y, "end", all[first].name + count, fmt::format(" transform=\"rotate(-35 {:.1f} {:.1f})\"", x, y));
    }
  }

  void budget() {
    if (picture_.budget_bytes == 0) return;
    const auto bytes = static_cast<double>(picture_.budget_bytes);
    const bool fits = bytes <= top_bytes_;
    const double y = fits ? y_of(bytes) : kTop;
    if (fits) line(kLeft, y, kRight, y, "class=\"budget\" stroke=\"#dd0000\" stroke-dasharray=\"6 4\"");
    label(kRight, y - 5, "end",
          fmt::format("budget {}{}", quantity_text(bytes, Unit::bytes), fits ? "" : ", above this picture"),
          " fill=\"#dd0000\"");
  }

  const ArenaPicture& picture_;
  int first_, steps_;
  double top_bytes_;
  std::string text_;
};

}  // namespace

std::string arena_svg(const ArenaPicture& picture) { return Drawing(picture).run(); }

}  // namespace phasor::io
