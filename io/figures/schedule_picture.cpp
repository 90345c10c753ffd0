#include "io/figures/schedule_picture.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fmt/format.h>
#include <string_view>

#include "io/figures/axis.h"
#include "io/figures/svg.h"

namespace phasor::io {

namespace schedule_drawing {
namespace {

// All in pixels.
constexpr double kWidth = 1200, kLeft = 120, kRight = 1080, kTop = 70, kRow = 34, kBox = 26, kBelow = 60;
constexpr double kNarrow = 1;  // boxes below that which touch are one
constexpr int kTicks = 10;     // steps between marks of time, about

constexpr std::array kKindColours{"#2f6fde", "#e2762c", "#1d9a6c", "#8f9bab", "#8757cf", "#c89b13"};

class ScheduleDrawing {
 public:
  explicit ScheduleDrawing(const SchedulePicture& picture) : picture_(picture) {}

  std::string run() {
    const double bottom = kTop + kRow * static_cast<double>(picture_.rows.size()), height = bottom + kBelow;
    text_ = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" font-family=\"sans-serif\" "
        "font-size=\"12\">\n<rect width=\"{}\" height=\"{}\" fill=\"#ffffff\"/>\n",
        kWidth, height, kWidth, height);
    label(kLeft, 24, "start", picture_.title, " font-size=\"16\"");
    legend();
    const Axis axis = make_axis(0, std::max(picture_.seconds, 1e-12), kTicks, Unit::seconds, false);
    for (const Tick& tick : axis.ticks) {
      if (tick.value > picture_.seconds) continue;
      const double x = x_of(tick.value);
      text_ += fmt::format("<line x1=\"{:.1f}\" y1=\"{}\" x2=\"{:.1f}\" y2=\"{}\" stroke=\"#dddddd\"/>\n", x, kTop - 6,
                           x, bottom + 4);
      label(x, bottom + 18, "middle", tick.text);
    }
    label(kRight, bottom + 38, "end", fmt::format("time [{}]", axis.unit));
    double y = kTop;
    for (const ScheduleRow& row : picture_.rows) {
      label(kLeft - 9, y + kBox / 2 + 4, "end", row.name);
      label(kRight + 9, y + kBox / 2 + 4, "start", row.note);
      boxes(row, y);
      y += kRow;
    }
    return text_ + "</svg>\n";
  }

 private:
  double x_of(double seconds) const {
    return kLeft + (kRight - kLeft) * (picture_.seconds > 0 ? seconds / picture_.seconds : 0);
  }

  void label(double x, double y, const char* anchor, const std::string& what, const std::string& more = "") {
    text_ += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\"{}>{}</text>\n", x, y, anchor, more,
                         escape_markup(what));
  }

  static const char* colour(int kind) { return kKindColours[static_cast<std::size_t>(kind) % kKindColours.size()]; }

  void legend() {
    double x = kLeft;
    for (std::size_t kind = 0; kind < picture_.kinds.size(); ++kind) {
      text_ += fmt::format("<rect x=\"{:.1f}\" y=\"40\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x,
                           colour(static_cast<int>(kind)));
      label(x + 17, 51, "start", picture_.kinds[kind]);
      x += 40 + 7 * static_cast<double>(picture_.kinds[kind].size());
    }
  }

  void boxes(const ScheduleRow& row, double y) {
    for (std::size_t first = 0, next = 0; first < row.boxes.size(); first = next) {
      ScheduleBox box = row.boxes[first];
      for (next = first + 1; next < row.boxes.size(); ++next) {
        const ScheduleBox& other = row.boxes[next];
        const bool narrow = x_of(box.end) - x_of(box.begin) < kNarrow || x_of(other.end) - x_of(other.begin) < kNarrow;
        if (!narrow || other.kind != box.kind || x_of(other.begin) - x_of(box.end) > kNarrow / 2) break;
        box.end = other.end;
      }
      if (next - first > 1) box.name += fmt::format(" and {} more", next - first - 1);
      draw(box, y);
    }
  }

  void draw(const ScheduleBox& box, double y) {
    const double x = x_of(box.begin), width = x_of(box.end) - x;
    text_ += fmt::format(
        "<rect class=\"work\" x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{}\" fill=\"{}\"{}>"
        "<title>{}: {}</title></rect>\n",
        x, y, width, kBox, colour(box.kind), width > 3 ? " stroke=\"#ffffff\" stroke-width=\"0.5\"" : "",
        escape_markup(box.name), quantity_text(box.end - box.begin, Unit::seconds));
  }

  const SchedulePicture& picture_;
  std::string text_;
};

// What the element says of its height: viewBox="0 0 1200 HEIGHT".
double height_of(std::string_view picture) {
  constexpr std::string_view kBefore = "viewBox=\"0 0 1200 ";
  double height = 0;
  if (const auto at = picture.find(kBefore); at != picture.npos) {
    std::from_chars(picture.data() + at + kBefore.size(), picture.data() + picture.size(), height);
  }
  return height;
}

}  // namespace
}  // namespace schedule_drawing

std::string schedule_svg(const SchedulePicture& picture) { return schedule_drawing::ScheduleDrawing(picture).run(); }

std::string stacked_svg(const std::vector<std::string>& pictures) {
  constexpr std::string_view kElement = "<svg ";
  std::string inside;
  double y = 0;
  for (std::string picture : pictures) {
    const double height = schedule_drawing::height_of(picture);
    picture.insert(picture.find(kElement) + kElement.size(),
                   fmt::format("x=\"0\" y=\"{}\" width=\"{}\" height=\"{}\" ", y, schedule_drawing::kWidth, height));
    inside += picture;
    y += height;
  }
  return fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\">\n{}</svg>\n",
                     schedule_drawing::kWidth, y, inside);
}

}  // namespace phasor::io
