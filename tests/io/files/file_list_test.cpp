#include "io/files/file_list.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>

#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

using namespace phasor::test;
using Files = std::vector<std::string>;

class FileList : public testing::Test {
 protected:
  FileList() {
    std::filesystem::create_directories(at("parts"));
    for (const char* name : {"a.txt", "parts/2.txt", "parts/10.txt", "parts/B.txt", "parts/[x].txt", "a,b.txt"})
      std::ofstream(at(name)) << "text";
  }
  std::string at(const std::string& name) const { return folder_.file(name); }
  static std::string refusal_of(const std::string& list) {
    return message_of([&] { find_files("text", list); });
  }

  TemporaryFolder folder_;
};

TEST_F(FileList, HasItsEntriesInOrderAndThoseOfAPatternSorted) {
  EXPECT_EQ(find_files("text", at("a.txt")), Files{at("a.txt")});
  EXPECT_EQ(find_files("text", at("parts/?*.txt")),
            (Files{at("parts/10.txt"), at("parts/2.txt"), at("parts/B.txt"), at("parts/[x].txt")}));
  EXPECT_EQ(find_files("text", at("parts/*.txt") + " ,\n" + at("a.txt") + ","),
            (Files{at("parts/10.txt"), at("parts/2.txt"), at("parts/B.txt"), at("parts/[x].txt"), at("a.txt")}));
}

TEST_F(FileList, ANameIsNoPattern) {
  EXPECT_EQ(find_files("text", at("parts/[x].txt")), Files{at("parts/[x].txt")});
  EXPECT_EQ(find_files("text", at("a,b.txt")), Files{at("a,b.txt")});
}

TEST_F(FileList, TheHomeFolder) {
  const char* home = std::getenv("HOME");
  const std::string before = home ? home : "";
  setenv("HOME", folder_.path().c_str(), 1);
  EXPECT_EQ(find_files("text", "~/a.txt, ~/parts/1*"), (Files{at("a.txt"), at("parts/10.txt")}));
  setenv("HOME", before.c_str(), 1);
}

TEST_F(FileList, WhatStandsForNothingIsRefused) {
  EXPECT_EQ(refusal_of(at("*.bin")), "text: no file matches '" + at("*.bin") + "'");
  EXPECT_EQ(refusal_of(at("a.txt") + "," + at("b.txt")), "text: '" + at("b.txt") + "' does not exist");
  EXPECT_EQ(refusal_of(" , "), "text: the list of files ' , ' names none");
  EXPECT_EQ(refusal_of(""), "text: the list of files '' names none");
}

TEST_F(FileList, TheSameFileTwiceIsRefused) {
  const std::string list = at("a.txt") + "," + at("./a*");
  EXPECT_EQ(refusal_of(list), fmt::format("text: '{}' is in the list '{}' twice", at("./a.txt"), list));
}

}  // namespace
}  // namespace phasor::io
