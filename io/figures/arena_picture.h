// Draws what lies where in a device's memory over a step, as a picture (picture.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace phasor::io {

struct ArenaBlock {
  std::string name;  // shown where the pointer rests
  int kind = 0;      // into ArenaPicture::kinds
  std::int64_t offset = 0, bytes = 0;
  int begin = 0, end = 0;  // steps [begin, end)
};

struct ArenaPhase {
  std::string name;  // phases of one name in a row share a label
  int begin = 0, end = 0;
};

struct ArenaPicture {
  std::string title;
  std::vector<std::string> kinds;  // what blocks hold, each in a colour of its own; ten at most
  std::vector<ArenaBlock> blocks;  // by their beginnings
  std::vector<ArenaPhase> phases;  // one behind the other; the first step is the left edge
  std::int64_t arena_bytes = 0;    // the height
  std::int64_t budget_bytes = 0;   // a line; 0: none
};

// An <svg> element without references to anything outside of it. Steps run from left to right, offsets upwards. Every
// block is a rectangle of class "block"; those of one name and place that follow each other within two pixels, as those
// of micro-batches do, are drawn as one.
std::string arena_svg(const ArenaPicture& picture);

}  // namespace phasor::io
