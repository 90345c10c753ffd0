#include "io/files/atomic_folder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "io/files/text_file.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

std::set<std::string> names_in(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) names.insert(entry.path().filename());
  return names;
}

void write_file(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

TEST(AtomicFolder, AppearsWithWhatWasWritten) {
  const test::TemporaryFolder folder;
  for (const char* path : {"new", "slash/", "in/the/depth"}) {
    write_folder_atomically(folder.file(path), [&](const std::string& temporary) {
      EXPECT_FALSE(std::filesystem::exists(folder.file(path)));
      write_file(temporary + "/a", path);
    });
    EXPECT_EQ(read_file("test", folder.file(path) + "/a"), path);
  }
  EXPECT_EQ(names_in(folder.path()), (std::set<std::string>{"new", "slash", "in"}));
}

TEST(AtomicFolder, ReplacesAFolderAsAWhole) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("model");
  write_folder_atomically(path, [](const std::string& temporary) { write_file(temporary + "/old", ""); });
  write_folder_atomically(path, [](const std::string& temporary) { write_file(temporary + "/new", ""); });
  EXPECT_EQ(names_in(path), std::set<std::string>{"new"});
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"model"});
}

TEST(AtomicFolder, AFailureLeavesWhatWasThere) {
  const test::TemporaryFolder folder;
  const std::string path = folder.file("model");
  write_folder_atomically(path, [](const std::string& temporary) { write_file(temporary + "/old", ""); });
  EXPECT_EQ(test::message_of([&] {
              write_folder_atomically(path, [](const std::string& temporary) {
                write_file(temporary + "/new", "");
                throw UserError("the disk is full");
              });
            }),
            "the disk is full");
  EXPECT_EQ(names_in(path), std::set<std::string>{"old"});
  EXPECT_EQ(names_in(folder.path()), std::set<std::string>{"model"});
}

}  // namespace
}  // namespace phasor::io
