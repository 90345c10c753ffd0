// Draws what devices do side by side, one under the other, as a picture (picture.h).
#pragma once

#include <string>
#include <vector>

namespace phasor::io {

struct ScheduleBox {
  std::string name;           // shown where the pointer rests
  int kind = 0;               // into SchedulePicture::kinds
  double begin = 0, end = 0;  // seconds
};

struct ScheduleRow {
  std::string name, note;          // at the left and at the right end
  std::vector<ScheduleBox> boxes;  // by begin; none overlaps the next
};

struct SchedulePicture {
  std::string title;
  std::vector<std::string> kinds;  // what is done, each in a colour of its own; six at most
  std::vector<ScheduleRow> rows;   // from top to bottom
  double seconds = 0;              // the width
};

// An <svg> element without references to anything outside of it. Every box is a rectangle of class "work"; those of one
// kind that touch and are too narrow to be told apart are drawn as one.
std::string schedule_svg(const SchedulePicture& picture);

}  // namespace phasor::io
