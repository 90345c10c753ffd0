#include "engine/program/webs.h"

#include <gtest/gtest.h>

#include "tests/program/small_program.h"

namespace phasor::test {
namespace {

// The steps of each web of a slot.
std::vector<std::vector<int>> webs_of(const Program& program, std::string_view name) {
  std::vector<std::vector<int>> steps;
  for (const Web& web : find_webs(program).webs) {
    if (program.slots[web.slot].name == name) steps.push_back(web.steps);
  }
  return steps;
}
using Steps = std::vector<std::vector<int>>;

TEST(Webs, FromTheWriteToTheLastUse) {
  EXPECT_EQ(webs_of(small_program(2), "forward/w"), (Steps{{0, 1}}));
  EXPECT_EQ(webs_of(small_program(2), "forward/gathered"), (Steps{{1, 3}}));
}

TEST(Webs, AnUpdateInPlaceIsOneWeb) { EXPECT_EQ(webs_of(small_program(2), "backward/w"), (Steps{{7, 8, 9}})); }

TEST(Webs, EveryNewValueIsAWeb) {
  ProgramBuilder b("test", 1);
  const int state = b.buffer({"state", vector_spec(kPart), 2}, Origin::state), slot = b.slot("slot", 16);
  b.begin_phase("phase", 0, 1, Section::step);
  b.load(state, 0, slot);
  b.store(slot, state, 1);
  b.store(slot, state, 0);
  b.zero(slot);
  b.store(slot, state, 0);
  EXPECT_EQ(webs_of(b.finish(), "slot"), (Steps{{0, 1, 2}, {3, 4}}));
}

TEST(Webs, StepsNameTheirWebsOnce) {
  const Webs webs = find_webs(small_program(2));
  EXPECT_EQ(webs.uses[3].size(), 3);  // gathered, x -> y
  EXPECT_EQ(webs.uses[8].size(), 2);  // w, g -> w
}

TEST(Webs, NoneOfWhatIsCarried) {
  EXPECT_EQ(webs_of(resident_program(2), "sum"), Steps{});
  EXPECT_EQ(webs_of(resident_program(2), "x"), (Steps{{1, 2, 3}}));
}

}  // namespace
}  // namespace phasor::test
