#include "io/direct_writer.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>

#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

class DirectWriterTest : public testing::Test {
 protected:
  DirectWriterTest() {
    std::ofstream(path_) << "";
    for (std::size_t i = 0; i < kBytes; ++i) memory_[i] = static_cast<std::byte>(i * 7 + i / 256);
    writer_.open(path_);
  }

  std::span<const std::byte> bytes(std::size_t first, std::size_t count) const {
    return {memory_.get() + first, count};
  }
  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string text(std::size_t first, std::size_t count) const {
    return {reinterpret_cast<const char*>(memory_.get()) + first, count};
  }

  static constexpr std::size_t kBytes = 1 << 18;
  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("a");
  PageMemory memory_ = allocate_pages(kBytes);
  DirectWriter writer_;
};

TEST_F(DirectWriterTest, WritesWholePages) {
  const std::size_t written = writer_.write(kPageBytes, bytes(0, 100'000), false);
  if (written == 0) GTEST_SKIP() << "the file system has no writes past the cache";
  EXPECT_EQ(written, 100'000 / kPageBytes * kPageBytes);
  EXPECT_EQ(content(), std::string(kPageBytes, '\0') + text(0, written));
}

TEST_F(DirectWriterTest, FillsTheLastPage) {
  const std::size_t written = writer_.write(0, bytes(kPageBytes, 100'000), true);
  if (written == 0) GTEST_SKIP() << "the file system has no writes past the cache";
  EXPECT_EQ(written, 100'000U);
  const std::size_t rest = kPageBytes - 100'000 % kPageBytes;
  EXPECT_EQ(content(), text(kPageBytes, written) + std::string(rest, '\0'));
}

TEST_F(DirectWriterTest, LeavesTheRestToTheCaller) {
  EXPECT_EQ(writer_.write(0, bytes(0, 1000), true), 0U);            // little
  EXPECT_EQ(writer_.write(100, bytes(0, 100'000), true), 0U);       // in the middle of a page of the file
  EXPECT_EQ(writer_.write(0, bytes(64, 100'000), true), 0U);        // or of memory
  EXPECT_EQ(DirectWriter().write(0, bytes(0, 100'000), true), 0U);  // of no file
  EXPECT_EQ(content(), "");
  DirectWriter gone;
  gone.open(folder_.file("not there"));
  EXPECT_EQ(gone.write(0, bytes(0, 100'000), true), 0U);
}

}  // namespace
}  // namespace phasor::io
