#include "io/figures/timeline_chart.h"

#include <algorithm>
#include <fmt/format.h>

namespace phasor::io {

namespace {

constexpr double kTimelineRow = 26, kBoxHeight = 18, kPhaseHeight = 18, kRowNameHeight = 15, kAxisRoom = 40;
constexpr double kTickRoom = 12;      // half a tick's text
constexpr double kJoin = 0.7;         // pixels between boxes that the eye cannot tell apart
constexpr int kNarrowTimeline = 560;  // pixels

struct BoxRun {
  double begin = 0, end = 0;  // pixels
  double seconds = 0;         // of the boxes in it
  const Box* first = nullptr;
  int count = 0;
};

class TimelineDrawing {
 public:
  TimelineDrawing(const TimelineChart& chart, int width)
      : chart_(chart),
        narrow_(width < kNarrowTimeline),
        axis_(make_axis(0, chart.end - chart.begin, ticks_across(width), Unit::seconds, false)),
        top_(legend_height(chart.colours, width)),
        right_(width - 12.0),
        svg_(width, height(), chart.label) {
    if (narrow_) {
      left_ = kTickRoom;
    } else {
      for (const TimelineRow& row : chart.rows) left_ = std::max(left_, text_width(row.name) + 12);
    }
    draw_legend(svg_, {0, 0}, width, chart.colours);
  }

  std::string run() {
    double y = top_;
    const double bottom = height() - kAxisRoom;
    for (const Tick& tick : axis_.ticks) svg_.line({place(tick.value), y}, {place(tick.value), bottom}, "grid");
    if (!chart_.stretches.empty()) draw_stretches(y);
    y += stretches_height();
    for (const TimelineRow& row : chart_.rows) {
      if (narrow_) {
        svg_.text({0, y + kRowNameHeight - 3}, row.name, "label");
        y += kRowNameHeight;
      } else {
        svg_.text({left_ - 10, y + kBoxHeight - 5}, row.name, "label", Anchor::end);
      }
      draw_row(row, y);
      y += kTimelineRow;
    }
    svg_.line({left_, bottom}, {right_, bottom}, "axis");
    for (const Tick& tick : axis_.ticks) {
      svg_.text({place(tick.value), bottom + 16}, tick.text, "tick", Anchor::middle);
    }
    svg_.text({right_, bottom + 33}, fmt::format("time [{}]", axis_.unit), "label", Anchor::end);
    return svg_.finish();
  }

 private:
  double stretches_height() const { return chart_.stretches.empty() ? 0 : kPhaseHeight + 8; }
  double height() const {
    return top_ + stretches_height() +
           static_cast<double>(chart_.rows.size()) * (kTimelineRow + (narrow_ ? kRowNameHeight : 0)) + kAxisRoom;
  }
  double place(double seconds) const { return axis_.place(seconds, left_, right_); }

  void draw_stretches(double y) {
    bool shaded = true;
    for (const Box& box : chart_.stretches) {
      const double begin = place(box.begin - chart_.begin), end = place(box.end - chart_.begin);
      svg_.rectangle({begin, y}, end - begin, kPhaseHeight, shaded ? "phase" : "phase other", hint(box, 1, 0));
      if (text_width(box.name) + 6 < end - begin) {
        svg_.text({(begin + end) / 2, y + kPhaseHeight - 5}, box.name, "tick", Anchor::middle);
      }
      shaded = !shaded;
    }
  }

  void draw_row(const TimelineRow& row, double y) {
    BoxRun run;
    const auto finish = [&] {
      if (run.count == 0) return;
      svg_.rectangle({run.begin, y}, std::max(0.6, run.end - run.begin), kBoxHeight, fill_style(run.first->colour),
                     hint(*run.first, run.count, run.seconds));
    };
    for (const Box& box : row.boxes) {
      const double begin = place(box.begin - chart_.begin), end = place(box.end - chart_.begin);
      const bool narrow = end - begin < kJoin || run.end - run.begin < kJoin;
      if (run.count > 0 && narrow && box.colour == run.first->colour && begin - run.end < kJoin) {
        run.end = std::max(run.end, end);
        run.seconds += box.end - box.begin;
        ++run.count;
      } else {
        finish();
        run = {begin, end, box.end - box.begin, &box, 1};
      }
    }
    finish();
  }

  static std::string hint(const Box& first, int count, double seconds) {
    if (count == 1) return fmt::format("{}: {}", first.name, quantity_text(first.end - first.begin, Unit::seconds));
    return fmt::format("{} and {} more: {}", first.name, count - 1, quantity_text(seconds, Unit::seconds));
  }

  const TimelineChart& chart_;
  bool narrow_;
  Axis axis_;
  double top_, left_ = 0, right_;
  Svg svg_;
};

}  // namespace

std::string draw(const TimelineChart& chart, int width) { return TimelineDrawing(chart, width).run(); }

}  // namespace phasor::io
