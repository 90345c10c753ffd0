#include "io/figures/arena_picture.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "io/figures/axis.h"
#include "io/figures/picture.h"

namespace phasor::io {

namespace {

// All in pixels.
constexpr double kHeight = 640;
constexpr double kLeft = 120, kRight = 1180, kTop = 76, kBottom = 520;
constexpr double kGap = 2;   // narrower ones are not drawn
constexpr int kOffsets = 5;  // steps between marks of offsets, about

// In the tones of the pages of reports (page_style.cpp), but the picture stands alone, too: it has no style sheet.
constexpr const char* kContentColours[] = {"#2f6fde", "#d0435a", "#e2762c", "#c89b13", "#8757cf",
                                           "#1391a4", "#8f9bab", "#1d9a6c", "#882255", "#555555"};

class Drawing {
 public:
  explicit Drawing(const ArenaPicture& arena)
      : arena_(arena),
        first_(arena.phases.empty() ? 0 : arena.phases.front().begin),
        steps_(std::max(1, arena.phases.empty() ? 1 : arena.phases.back().end - first_)),
        // A budget far above leaves the blocks room enough to be seen.
        top_bytes_(static_cast<double>(std::max<std::int64_t>(
            1, std::max(arena.arena_bytes, std::min(arena.budget_bytes, 2 * arena.arena_bytes))))),
        picture_(kHeight, kLeft, arena.title, arena.kinds, kContentColours) {}

  std::string run() {
    offsets();
    blocks();
    phases();
    budget();
    return picture_.finish();
  }

 private:
  double x_of(int step) const { return kLeft + (kRight - kLeft) * (step - first_) / steps_; }
  double y_of(double offset) const { return kBottom - (kBottom - kTop) * offset / top_bytes_; }

  void offsets() {
    const Axis axis = make_axis(0, top_bytes_, kOffsets, Unit::bytes, false);
    for (const Tick& tick : axis.ticks) {
      const double y = y_of(tick.value);
      picture_.line({kLeft - 5, y}, {kRight, y}, "stroke=\"#dddddd\"");
      picture_.label({kLeft - 9, y + 4}, Anchor::end, fmt::format("{} {}", tick.text, axis.unit));
    }
  }

  void blocks() {
    std::map<std::pair<std::string, std::int64_t>, ArenaBlock> open;  // by name and offset, not drawn yet
    for (const ArenaBlock& block : arena_.blocks) {
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
    picture_.box("block", {x, y}, width, height, block.kind,
                 fmt::format("{}, {} bytes at {}", block.name, block.bytes, block.offset));
  }

  void phases() {
    picture_.label({kRight, kHeight - 12}, Anchor::end, "program steps, from left to right");
    picture_.line({kLeft, kBottom}, {kRight, kBottom}, "stroke=\"#333333\"");
    const auto& all = arena_.phases;
    for (std::size_t first = 0, next = 0; first < all.size(); first = next) {
      while (next < all.size() && all[next].name == all[first].name) {
        const double x = x_of(all[next].begin);
        picture_.line({x, kBottom}, {x, kBottom + 4}, "stroke=\"#999999\"");
        ++next;
      }
      const double begin = x_of(all[first].begin), end = x_of(all[next - 1].end);
      picture_.line({begin, kTop}, {begin, kBottom + 9}, "stroke=\"#333333\" stroke-width=\"0.6\"");
      const Point middle{(begin + end) / 2, kBottom + 20};
      const std::string count = next - first > 1 ? fmt::format(" x {}", next - first) : "";
      picture_.label(middle, Anchor::end, all[first].name + count,
                     fmt::format(" transform=\"rotate(-35 {:.1f} {:.1f})\"", middle.x, middle.y));
    }
  }

  void budget() {
    if (arena_.budget_bytes == 0) return;
    const auto bytes = static_cast<double>(arena_.budget_bytes);
    const bool fits = bytes <= top_bytes_;
    const double y = fits ? y_of(bytes) : kTop;
    if (fits) {
      picture_.line({kLeft, y}, {kRight, y}, "class=\"budget\" stroke=\"#dd0000\" stroke-dasharray=\"6 4\"");
    }
    picture_.label({kRight, y - 5}, Anchor::end,
                   fmt::format("budget {}{}", quantity_text(bytes, Unit::bytes), fits ? "" : ", above this picture"),
                   " fill=\"#dd0000\"");
  }

  const ArenaPicture& arena_;
  int first_, steps_;
  double top_bytes_;
  Picture picture_;
};

}  // namespace

std::string arena_svg(const ArenaPicture& picture) { return Drawing(picture).run(); }

}  // namespace phasor::io
