#include "io/figures/schedule_picture.h"

#include <algorithm>
#include <fmt/format.h>

#include "io/figures/axis.h"
#include "io/figures/picture.h"

namespace phasor::io {

namespace schedule_drawing {
namespace {

// All in pixels.
constexpr double kLeft = 120, kRight = 1080, kTop = 70, kRow = 34, kBox = 26, kBelow = 60;
constexpr double kNarrow = 1;  // boxes below that which touch are one
constexpr int kTicks = 10;     // steps between marks of time, about

constexpr const char* kKindColours[] = {"#2f6fde", "#e2762c", "#1d9a6c", "#8f9bab", "#8757cf", "#c89b13"};

class ScheduleDrawing {
 public:
  explicit ScheduleDrawing(const SchedulePicture& schedule)
      : schedule_(schedule),
        bottom_(kTop + kRow * static_cast<double>(schedule.rows.size())),
        picture_(bottom_ + kBelow, kLeft, schedule.title, schedule.kinds, kKindColours) {}

  std::string run() {
    marks();
    double y = kTop;
    for (const ScheduleRow& row : schedule_.rows) {
      picture_.label({kLeft - 9, y + kBox / 2 + 4}, Anchor::end, row.name);
      picture_.label({kRight + 9, y + kBox / 2 + 4}, Anchor::start, row.note);
      boxes(row, y);
      y += kRow;
    }
    return picture_.finish();
  }

 private:
  double x_of(double seconds) const {
    return kLeft + (kRight - kLeft) * (schedule_.seconds > 0 ? seconds / schedule_.seconds : 0);
  }

  void marks() {
    const Axis axis = make_axis(0, std::max(schedule_.seconds, 1e-12), kTicks, Unit::seconds, false);
    for (const Tick& tick : axis.ticks) {
      if (tick.value > schedule_.seconds) continue;
      const double x = x_of(tick.value);
      picture_.line({x, kTop - 6}, {x, bottom_ + 4}, "stroke=\"#dddddd\"");
      picture_.label({x, bottom_ + 18}, Anchor::middle, tick.text);
    }
    picture_.label({kRight, bottom_ + 38}, Anchor::end, fmt::format("time [{}]", axis.unit));
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
      const double x = x_of(box.begin);
      picture_.box("work", {x, y}, x_of(box.end) - x, kBox, box.kind,
                   fmt::format("{}: {}", box.name, quantity_text(box.end - box.begin, Unit::seconds)));
    }
  }

  const SchedulePicture& schedule_;
  double bottom_;
  Picture picture_;
};

}  // namespace
}  // namespace schedule_drawing

std::string schedule_svg(const SchedulePicture& picture) { return schedule_drawing::ScheduleDrawing(picture).run(); }

}  // namespace phasor::io
