// Numbers of a program's things, as its builder gives them out.
#pragma once

#include <cstdint>

namespace phasor {

// Goes where a number is wanted, but not where one of another kind of thing is.
template <class Thing>
struct Id {
  std::int32_t number = -1;

  bool valid() const { return number >= 0; }
  operator std::int32_t() const { return number; }
};

using BufferId = Id<struct Buffer>;
using SlotId = Id<struct Slot>;
using GraphId = Id<struct NamedGraph>;
using LinkId = Id<struct Link>;

// A row of a buffer, or what of it begins at byte `offset`.
struct Row {
  BufferId buffer;
  std::int64_t number = 0;
  std::int64_t offset = 0;
};

}  // namespace phasor
