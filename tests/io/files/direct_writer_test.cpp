#include "io/files/direct_writer.h"

#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>

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

TEST_F(DirectWriterTest, FillsTheLastPage) {
  std::string expected;
  for (const std::size_t count : {100'000, 70'001, 65'536}) {
    const std::size_t written = writer_.write_at_end(std::ssize(expected), bytes(kPageBytes, count));
    if (written == 0) GTEST_SKIP() << "the file system has no writes past the cache";
    EXPECT_EQ(written, count);
    expected += text(kPageBytes, count);
    expected.resize((expected.size() + kPageBytes - 1) / kPageBytes * kPageBytes, '\0');
    EXPECT_EQ(content(), expected);
  }
}

TEST_F(DirectWriterTest, LeavesTheRestToTheCaller) {
  EXPECT_EQ(writer_.write_at_end(0, bytes(0, 1000)), 0U);       // little
  EXPECT_EQ(writer_.write_at_end(100, bytes(0, 100'000)), 0U);  // in the middle of a page of the file
  EXPECT_EQ(writer_.write_at_end(0, bytes(64, 100'000)), 0U);   // or of memory
  EXPECT_EQ(DirectWriter().write_at_end(0, bytes(0, 100'000)), 0U);
  EXPECT_EQ(content(), "");
  DirectWriter gone;
  gone.open(folder_.file("not there"));
  EXPECT_EQ(gone.write_at_end(0, bytes(0, 100'000)), 0U);
}

// No system writes there.
TEST_F(DirectWriterTest, AFailureIsLeftToTheCaller) {
  const auto far = std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(kPageBytes) - 100;
  EXPECT_EQ(writer_.write_at_end(far * static_cast<std::int64_t>(kPageBytes), bytes(0, 100'000)), 0U);
  EXPECT_EQ(writer_.write_at_end(0, bytes(0, 100'000)), 0U);  // nor is it tried again
}

}  // namespace
}  // namespace phasor::io
