// What holds for every store, in memory or in files.
#include "engine/remote/store.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <limits>

#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::test {
namespace {

using Bytes = std::vector<std::byte>;

Bytes pattern(std::size_t count, int start) {
  Bytes bytes(count);
  for (std::size_t i = 0; i < count; ++i) bytes[i] = static_cast<std::byte>(start + 7 * static_cast<int>(i));
  return bytes;
}

Bytes read(const Store& store, Store::Region region, std::int64_t offset, std::size_t count) {
  Bytes bytes(count, std::byte{0xAB});
  store.read(region, offset, bytes);
  return bytes;
}

class StoreTest : public ::testing::TestWithParam<bool> {
 protected:
  std::unique_ptr<Store> make() { return GetParam() ? file_store(folder_.path()) : memory_store(); }

  TemporaryFolder folder_;
};

TEST_P(StoreTest, BeginsWithZeros) {
  const auto store = make();
  const auto region = store->create("zeros", 10'000);
  EXPECT_EQ(read(*store, region, 0, 10'000), Bytes(10'000));
}

TEST_P(StoreTest, KeepsWhatIsWrittenAndTheRest) {
  const auto store = make();
  const auto region = store->create("region", 1000);
  store->write(region, 100, pattern(37, 1));
  store->write(region, 120, pattern(5, 99));
  Bytes expected(1000);
  std::ranges::copy(pattern(37, 1), expected.begin() + 100);
  std::ranges::copy(pattern(5, 99), expected.begin() + 120);
  EXPECT_EQ(read(*store, region, 0, 1000), expected);
  EXPECT_EQ(read(*store, region, 119, 3), Bytes(expected.begin() + 119, expected.begin() + 122));
}

TEST_P(StoreTest, RegionsAreApart) {
  const auto store = make();
  const auto a = store->create("a", 64), b = store->create("b", 64), c = store->create("c", 64);
  store->write(a, 0, pattern(64, 1));
  store->write(c, 0, pattern(64, 2));
  EXPECT_EQ(read(*store, a, 0, 64), pattern(64, 1));
  EXPECT_EQ(read(*store, b, 0, 64), Bytes(64));
  EXPECT_EQ(read(*store, c, 0, 64), pattern(64, 2));
}

TEST_P(StoreTest, NothingCanBeMoved) {
  const auto store = make();
  const auto region = store->create("empty", 0);
  store->write(region, 0, {});
  EXPECT_EQ(read(*store, region, 0, 0), Bytes());
}

// Also where the sum of offset and length is no number.
TEST_P(StoreTest, WhatReachesBeyondARegionIsRefused) {
  const auto store = make();
  const auto region = store->create("region", 64);
  store->create("next", 64);
  store->write(region, 0, pattern(64, 1));
  constexpr std::int64_t kFar = std::numeric_limits<std::int64_t>::max();
  for (const auto& [offset, count] : {std::pair(60L, 8), {65L, 0}, {-1L, 1}, {0L, 65}, {kFar, 8}}) {
    const auto bytes = static_cast<std::size_t>(count);
    const std::string expected =
        fmt::format("remote: {} bytes from byte {} on of region 'region', which has 64", count, offset);
    EXPECT_EQ(message_of<InternalError>([&, offset = offset] { read(*store, region, offset, bytes); }), expected);
    EXPECT_EQ(message_of<InternalError>([&, offset = offset] { store->write(region, offset, pattern(bytes, 9)); }),
              expected);
  }
  EXPECT_EQ(read(*store, region, 0, 64), pattern(64, 1));
}

// Two stores, or two regions of one name: nobody's bytes are another's.
TEST_P(StoreTest, BelongsToItselfAlone) {
  const auto a = make(), b = make();
  const auto region = a->create("region", 64), twin = a->create("region", 64);
  a->write(region, 0, pattern(64, 1));
  const auto other = b->create("region", 64);
  EXPECT_EQ(read(*b, other, 0, 64), Bytes(64));
  b->write(other, 0, pattern(64, 2));
  a->write(twin, 0, pattern(64, 3));
  EXPECT_EQ(read(*a, region, 0, 64), pattern(64, 1));
  EXPECT_EQ(read(*b, other, 0, 64), pattern(64, 2));
}

INSTANTIATE_TEST_SUITE_P(All, StoreTest, ::testing::Bool(),
                         [](const auto& test) { return test.param ? "file" : "memory"; });

TEST(FileStore, MakesItsDirectory) {
  const TemporaryFolder folder;
  const auto store = file_store(folder.file("a/b/c"));
  store->create("region", 8);
  EXPECT_TRUE(std::filesystem::is_directory(folder.file("a/b/c")));
}

// Not even while it is used, so that a process that is killed leaves nothing either.
TEST(FileStore, LeavesNothingInItsDirectory) {
  const TemporaryFolder folder;
  const auto store = file_store(folder.path());
  store->write(store->create("region", 64), 0, pattern(64, 1));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(FileStore, RefusesAnImpossibleDirectoryInOneLine) {
  const std::string message = message_of([] { file_store("/proc/nowhere/at/all"); });
  EXPECT_TRUE(message.starts_with("remote: directory '/proc/nowhere/at/all' cannot be made: ")) << message;
  EXPECT_EQ(message.find('\n'), std::string::npos);
}

}  // namespace
}  // namespace phasor::test
