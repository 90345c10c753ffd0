#include "engine/program/overlap/webs.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/engine/program/small_program.h"

namespace phasor::test {
namespace {

// The steps of each web of a slot.
std::vector<std::vector<int>> webs_of(const Program& program, std::string_view name) {
  std::vector<std::vector<int>> steps;
  const Webs webs = find_webs(program);
  for (int number = 0; number < std::ssize(webs.webs); ++number) {
    const Web& web = webs.webs[number];
    if (fmt::format("{}", program.slots[web.slot]) != name) continue;
    std::vector<int> used;
    for (int step = 0; step < static_cast<int>(program.steps.size()); ++step) {
      if (std::ranges::count(webs.uses(step), number) > 0) used.push_back(step);
    }
    EXPECT_EQ(web.first, used.front());
    EXPECT_EQ(web.last, used.back());
    steps.push_back(used);
  }
  return steps;
}
using Lists = std::vector<std::vector<int>>;

TEST(Webs, FromTheWriteToTheLastUse) {
  EXPECT_EQ(webs_of(small_program(2), "forward/w"), (Lists{{0, 1}}));
  EXPECT_EQ(webs_of(small_program(2), "forward/gathered"), (Lists{{1, 3}}));
}

TEST(Webs, AnUpdateInPlaceIsOneWeb) { EXPECT_EQ(webs_of(small_program(2), "backward/w"), (Lists{{7, 8, 9}})); }

TEST(Webs, EveryNewValueIsAWeb) {
  ProgramBuilder b("test", 1);
  const BufferId state = b.buffer({"state", vector_spec(kPart), 2}, Origin::state);
  const SlotId slot = b.slot({.name = "slot", .bytes = 16});
  b.begin_phase("phase", 0, 1, Section::step);
  b.load({state, 0}, slot);
  b.store(slot, {state, 1});
  b.store(slot, {state, 0});
  b.zero(slot);
  b.store(slot, {state, 0});
  EXPECT_EQ(webs_of(b.finish(), "slot"), (Lists{{0, 1, 2}, {3, 4}}));
}

TEST(Webs, StepsNameTheirWebsOnce) {
  const Webs webs = find_webs(small_program(2));
  EXPECT_EQ(webs.uses(3).size(), 3);  // gathered, x -> y
  EXPECT_EQ(webs.uses(8).size(), 2);  // w, g -> w
}

TEST(Webs, NoneOfWhatIsCarried) {
  EXPECT_EQ(webs_of(resident_program(2), "sum"), Lists{});
  EXPECT_EQ(webs_of(resident_program(2), "x"), (Lists{{1, 2, 3}}));
}

}  // namespace
}  // namespace phasor::test
