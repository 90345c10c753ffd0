#include "io/trace/event_file.h"

#include <bit>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>

#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "tests/support/event_records.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

using namespace test;

TEST(EventFile, HoldsItsVersionTheStartAndTheScalars) {
  const TemporaryFolder folder;
  std::string path;
  {
    EventFile file(folder.path(), 300);
    path = file.path();
    file.write(301, {{"training/loss", 1.5F}, {"speed/stall_seconds", 0.0F}});
    EXPECT_EQ(read_records(read_file("test", path)).size(), 3U);  // at once, not when the file is closed
  }
  EXPECT_TRUE(std::filesystem::path(path).filename().string().starts_with("events.out.tfevents.1"));
  const std::vector<std::string> records = read_records(read_file("test", path));
  const auto version = parse(records[0]), start = parse(records[1]), event = parse(records[2]);
  EXPECT_EQ(only(version, 3).bytes, "brain.Event:2");
  EXPECT_EQ(only(start, 2).number, 301U);
  EXPECT_EQ(only(parse(only(start, 7).bytes), 1).number, 1U);
  EXPECT_EQ(only(event, 2).number, 301U);
  EXPECT_GT(std::bit_cast<double>(only(event, 1).number), 1.6e9);
  EXPECT_EQ(scalars_of(records[2]),
            (std::map<std::string, float>{{"training/loss", 1.5F}, {"speed/stall_seconds", 0.0F}}));
}

TEST(EventFile, AFolderThatIsNotThereIsTheUsersMistake) { EXPECT_THROW(EventFile("/nowhere/at/all", 0), UserError); }

}  // namespace
}  // namespace phasor::io
