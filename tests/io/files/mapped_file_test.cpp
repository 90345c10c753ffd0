#include "io/files/mapped_file.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

using namespace phasor::test;

TEST(MappedFile, HasTheBytesEvenWithoutAName) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.txt");
  std::string text(10000, 'x');
  text += std::string("\0end", 4);
  std::ofstream(path, std::ios::binary) << text;
  const MappedFile file("text", path);
  std::filesystem::remove(path);
  EXPECT_EQ(file.text(), text);
  EXPECT_EQ(file.bytes().size(), text.size());
}

TEST(MappedFile, MayBeEmpty) {
  const TemporaryFolder folder;
  std::ofstream(folder.file("none")).flush();
  EXPECT_TRUE(MappedFile("text", folder.file("none")).bytes().empty());
}

TEST(MappedFile, RefusesWhatIsNoPlainFile) {
  const TemporaryFolder folder;
  const auto refusal = [](const std::string& path) { return message_of([&] { MappedFile("text", path); }); };
  EXPECT_EQ(refusal(folder.file("a")), "text: '" + folder.file("a") + "' does not exist");
  EXPECT_EQ(refusal(folder.path()), "text: '" + folder.path() + "' is a folder, expected a file");
  ASSERT_EQ(mkfifo(folder.file("pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal(folder.file("pipe")),
            "text: '" + folder.file("pipe") + "' is no plain file, which alone can be read here and there");
}

}  // namespace
}  // namespace phasor::io
