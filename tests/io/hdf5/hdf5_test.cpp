#include "io/hdf5/hdf5.h"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>

#include "io/files/content_sum.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

using test::message_of;

template <class T>
std::vector<T> counting(std::int64_t count) {
  std::vector<T> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), T{1});
  return values;
}

class Hdf5Test : public testing::Test {
 protected:
  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("a.h5");
};

template <class T>
class Hdf5TypesTest : public Hdf5Test {};
using Types = testing::Types<std::uint8_t, std::int32_t, std::int64_t, float>;
TYPED_TEST_SUITE(Hdf5TypesTest, Types);

TYPED_TEST(Hdf5TypesTest, GivesBackWhatWasWritten) {
  using T = TypeParam;
  const std::vector<Shape> shapes = {{}, {0}, {7}, {3, 0}, {3, 5}, {2, 3, 4}, {2, 3, 4, 5}};
  Hdf5File file = Hdf5File::create(this->path_);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const auto values = counting<T>(shapes[i].elements());
    // 40 bytes make several chunks of every type.
    file.write<T>("/deep/er/" + std::to_string(i), shapes[i], values, {.chunk_bytes = 40, .deflate = i % 2 ? 3 : 0});
  }
  file.close();
  const Hdf5File again = Hdf5File::open(this->path_);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::string name = "/deep/er/" + std::to_string(i);
    EXPECT_EQ(again.dataset(name).shape, shapes[i]);
    EXPECT_EQ(again.dataset(name).type, Hdf5TypeOf<T>::value);
    EXPECT_EQ(again.read<T>(name), counting<T>(shapes[i].elements())) << to_string(shapes[i]);
  }
}

TEST_F(Hdf5Test, EveryFlatRangeOfEveryRank) {
  auto file = Hdf5File::create(path_);
  for (const Shape& shape : {Shape{24}, Shape{4, 6}, Shape{2, 3, 4}, Shape{2, 2, 2, 3}}) {
    const std::string name = "/rank" + std::to_string(shape.rank());
    const auto all = counting<std::int32_t>(24);
    file.write<std::int32_t>(name, shape, all, {.chunk_bytes = 20});
    for (std::int64_t first = 0; first <= 24; ++first) {
      for (std::int64_t count = 0; first + count <= 24; ++count) {
        std::vector<std::int32_t> part(static_cast<std::size_t>(count));
        file.read_elements<std::int32_t>(name, first, part);
        EXPECT_TRUE(std::equal(part.begin(), part.end(), all.begin() + first)) << first << " + " << count;
        // Written negated and read whole: nothing beside the range changes.
        for (auto& value : part) value = -value;
        file.write_elements<std::int32_t>(name, first, part);
        auto expected = all;
        std::copy(part.begin(), part.end(), expected.begin() + first);
        EXPECT_EQ(file.read<std::int32_t>(name), expected) << first << " + " << count;
        file.write_elements<std::int32_t>(name, 0, all);
      }
    }
  }
}

TEST_F(Hdf5Test, ElementsNeverWrittenAreZero) {
  auto file = Hdf5File::create(path_);
  file.create_dataset<float>("/w", {4});
  const float value = 3;
  file.write_elements<float>("/w", 2, std::span(&value, 1));
  EXPECT_EQ(file.read<float>("/w"), (std::vector<float>{0, 0, 3, 0}));
}

TEST_F(Hdf5Test, NoMemoryIsTakenForMoreThanAFileCouldHold) {
  {
    auto file = Hdf5File::create(path_);
    file.create_dataset<float>("/w", {std::int64_t{1} << 40});
    file.create_dataset<float>("/v", {std::int64_t{1} << 40}, {.deflate = 1});
    file.create_dataset<std::uint8_t>("/u", {std::int64_t{1} << 61});
  }
  const auto file = Hdf5File::open(path_);
  for (const std::string name : {"/w", "/v"}) {
    EXPECT_EQ(test::message_of([&] { file.read<float>(name); }),
              "hdf5: '" + path_ + "' '" + name +
                  "' claims 4398046511104 bytes of elements, the file has 0 of them. The file is damaged");
  }
  EXPECT_EQ(test::message_of([&] { file.dataset("/u"); }),
            "hdf5: '" + path_ + "' '/u' has more elements than fit, 2305843009213693952. The file is damaged");
}

TEST_F(Hdf5Test, Attributes) {
  {
    auto file = Hdf5File::create(path_);
    file.create_group("/g");
    file.create_group("/g");
    file.set_attribute("/", "name", "naïve 名");
    file.set_attribute("/g", "empty", "");
    file.set_attribute("/g", "step", std::int64_t{7});
    file.set_attribute("/g", "step", std::numeric_limits<std::int64_t>::min());
    file.set_attribute("/g", "rate", 0.1);
  }
  const auto file = Hdf5File::open(path_);
  EXPECT_EQ(file.string_attribute("/", "name"), "naïve 名");
  EXPECT_EQ(file.string_attribute("/g", "empty"), "");
  EXPECT_EQ(file.integer_attribute("/g", "step"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(file.double_attribute("/g", "rate"), 0.1);
  EXPECT_TRUE(file.has_attribute("/g", "rate"));
  EXPECT_FALSE(file.has_attribute("/g", "speed"));
  EXPECT_FALSE(file.has_attribute("/h", "speed"));
  EXPECT_EQ(message_of([&] { file.integer_attribute("/g", "rate"); }),
            "hdf5: '" + path_ + "' '/g' attribute 'rate' is not an integer");
  EXPECT_EQ(message_of([&] { file.double_attribute("/g", "speed"); }),
            "hdf5: '" + path_ + "' '/g' has no attribute 'speed'");
}

TEST_F(Hdf5Test, ListsAndFindsObjects) {
  auto file = Hdf5File::create(path_);
  file.write<float>("/b/w", {2}, counting<float>(2));
  file.create_group("/c");
  file.create_group("/a");
  EXPECT_EQ(file.children("/"), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(file.children("/b"), (std::vector<std::string>{"w"}));
  EXPECT_TRUE(file.exists("/"));
  EXPECT_TRUE(file.exists("/b/w"));
  EXPECT_FALSE(file.exists("/b/v"));
  EXPECT_FALSE(file.exists("/x/y/z"));
  EXPECT_EQ(message_of([&] { file.children("/b/w"); }), "hdf5: '" + path_ + "' '/b/w' is not a group");
  EXPECT_EQ(message_of([&] { file.create_group("/b/w"); }), "hdf5: '" + path_ + "' '/b/w' is not a group");
}

TEST_F(Hdf5Test, WrongExpectationsSayBothSides) {
  auto file = Hdf5File::create(path_);
  const auto values = counting<float>(12);
  file.write<float>("/w", {3, 4}, values);
  const std::string subject = "hdf5: '" + path_ + "' '/w' ";
  EXPECT_EQ(message_of([&] { file.read<std::int32_t>("/w"); }), subject + "holds f32, expected i32");
  std::vector<float> five(5);
  EXPECT_EQ(message_of([&] { file.read<float>("/w", five); }), subject + "holds 12 elements [3, 4], expected 5");
  EXPECT_EQ(message_of([&] { file.read_elements<float>("/w", 8, five); }),
            subject + "holds 12 elements [3, 4], expected elements 8 to 13");
  EXPECT_EQ(message_of([&] { file.write<float>("/w", {12}, values); }),
            subject + "exists already, expected a new name");
  EXPECT_EQ(message_of([&] { file.write<float>("/v", {5}, values); }),
            "hdf5: '" + path_ + "' '/v' has 5 elements, 12 values were given");
  EXPECT_EQ(message_of([&] { file.read<float>("/u"); }),
            "hdf5: '" + path_ + "' '/u' does not exist, expected a dataset");
}

TEST_F(Hdf5Test, FilesThatCannotBeOpened) {
  EXPECT_EQ(message_of([&] { Hdf5File::open(path_); }), "hdf5: '" + path_ + "' does not exist");
  EXPECT_EQ(message_of([&] { Hdf5File::open(folder_.path()); }), "hdf5: '" + folder_.path() + "' is not a file");
  std::ofstream(path_) << "text";
  EXPECT_EQ(message_of([&] { Hdf5File::open(path_); }),
            "hdf5: '" + path_ +
                "' (4 bytes) cannot be opened as an HDF5 file: file signature not found. Was it written to its end?");
}

TEST_F(Hdf5Test, EveryTruncationIsAnErrorOfOneLine) {
  auto file = Hdf5File::create(path_);
  file.write<std::int32_t>("/w", {1000}, counting<std::int32_t>(1000), {.chunk_bytes = 512});
  file.close();
  const auto size = std::filesystem::file_size(path_);
  for (auto bytes = size; bytes-- > 0; bytes -= std::min<std::uintmax_t>(bytes, 97)) {
    std::filesystem::resize_file(path_, bytes);
    const std::string message = message_of([&] { Hdf5File::open(path_).read<std::int32_t>("/w"); });
    EXPECT_EQ(message.rfind("hdf5: '" + path_ + "' ", 0), 0U) << bytes << ": " << message;
    EXPECT_EQ(message.find('\n'), message.npos);
  }
}

// Plain chunks bypass the library when they are written; it checks their sums when it reads them.
TEST_F(Hdf5Test, ChunksOfEveryFillAndWidth) {
  auto file = Hdf5File::create(path_);
  for (std::int64_t chunk_bytes : {1, 2, 3, 7, 64, 1000}) {
    for (std::int64_t rows : {1, 2, 9, 33}) {
      for (std::int64_t columns : {1, 3, 50}) {
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(rows * columns));
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(255 - i * i % 7);
        const std::string name = fmt::format("/{}/{}/{}", chunk_bytes, rows, columns);
        file.write<std::uint8_t>(name, {rows, columns}, bytes, {.chunk_bytes = chunk_bytes});
        EXPECT_EQ(file.read<std::uint8_t>(name), bytes) << name;
      }
    }
  }
  // Long enough for sums that are carried many times over, and for a sum of 65535, which is not 0.
  for (std::uint8_t value : {0x00, 0x01, 0xfe, 0xff}) {
    const std::vector<std::uint8_t> bytes(5 << 20, value);
    const std::string name = fmt::format("/long/{}", value);
    file.write<std::uint8_t>(name, {5 << 20}, bytes, {.chunk_bytes = 5 << 20});
    EXPECT_EQ(file.read<std::uint8_t>(name), bytes) << name;
  }
}

// The library's own reading, which checks its own sums of whatever bypassed it.
std::vector<std::int32_t> read_by_library(const Hdf5File& file, const std::string& name) {
  std::vector<std::int32_t> values(static_cast<std::size_t>(file.dataset(name).shape.elements()));
  file.read_elements<std::int32_t>(name, 0, values);
  return values;
}

// Large chunks bypass the system's cache, too. What belongs to nobody behind them is room for the library's own data
// and for small datasets.
TEST_F(Hdf5Test, LargeAndSmallAmongEachOther) {
  const std::vector<Shape> shapes = {{70'000}, {3}, {1 << 20}, {300'000, 3}, {64, 1 << 12}, {5000}, {16'384}, {1}};
  constexpr std::int64_t kChunkBytes[] = {1 << 16, (1 << 18) - 4, 1 << 20};
  const auto values_of = [](const Shape& shape) {
    std::vector<std::int32_t> values = counting<std::int32_t>(shape.elements());
    for (auto& value : values) value = static_cast<std::int32_t>(static_cast<std::uint32_t>(value) * 2'654'435'761U);
    return values;
  };
  auto file = Hdf5File::create(path_);
  for (const std::int64_t chunk_bytes : kChunkBytes) {
    for (const Shape& shape : shapes) {
      const std::string name = fmt::format("/{}/{}", chunk_bytes, to_string(shape));
      file.write<std::int32_t>(name, shape, values_of(shape), {.chunk_bytes = chunk_bytes});
      for (int i = 0; i < 9; ++i) file.set_attribute(name, fmt::format("a{}", i), std::string(500, 'a'));
    }
  }
  file.close();
  const auto again = Hdf5File::open(path_);
  for (const std::int64_t chunk_bytes : kChunkBytes) {
    for (const Shape& shape : shapes) {
      const std::string name = fmt::format("/{}/{}", chunk_bytes, to_string(shape));
      EXPECT_EQ(read_by_library(again, name), values_of(shape)) << name;
      EXPECT_EQ(again.read<std::int32_t>(name), values_of(shape)) << name;
      EXPECT_EQ(again.string_attribute(name, "a8"), std::string(500, 'a'));
    }
  }
}

TEST_F(Hdf5Test, WritesFromASource) {
  auto file = Hdf5File::create(path_);
  for (const Shape& shape : {Shape{}, Shape{0}, Shape{5}, Shape{200'000}, Shape{1000, 333}}) {
    for (int deflate : {0, 1}) {
      const std::string name = fmt::format("/{}/{}", deflate, to_string(shape));
      std::int64_t next = 0;
      const auto source = [&](std::int64_t first, std::span<std::int32_t> values) {
        EXPECT_EQ(first, next);
        next += std::ssize(values);
        std::iota(values.begin(), values.end(), static_cast<std::int32_t>(first) + 1);
      };
      file.write_from<std::int32_t>(name, shape, source, {.chunk_bytes = 1 << 16, .deflate = deflate});
      EXPECT_EQ(next, shape.elements()) << name;
      EXPECT_EQ(read_by_library(file, name), counting<std::int32_t>(shape.elements())) << name;
    }
  }
}

TEST_F(Hdf5Test, WhatASourceThrowsIsThrown) {
  auto file = Hdf5File::create(path_);
  for (const std::int64_t last : {0, 1 << 14, 150'000}) {
    const auto source = [&](std::int64_t first, std::span<std::int32_t>) {
      check(first < last, "the source has {} elements", last);
    };
    const std::string name = fmt::format("/{}", last);
    EXPECT_EQ(message_of([&] { file.write_from<std::int32_t>(name, {200'000}, source, {.chunk_bytes = 1 << 16}); }),
              fmt::format("the source has {} elements", last));
  }
  file.write<std::int32_t>("/w", {3}, counting<std::int32_t>(3));
  file.close();
  EXPECT_EQ(Hdf5File::open(path_).read<std::int32_t>("/w"), counting<std::int32_t>(3));
}

TEST_F(Hdf5Test, TheLibraryFindsAFlippedBitInEveryChunk) {
  constexpr std::int64_t kElements = 100'000, kChunk = 1 << 16;
  auto file = Hdf5File::create(path_);
  file.write<std::int32_t>("/w", {kElements}, counting<std::int32_t>(kElements), {.chunk_bytes = kChunk});
  file.close();
  for (std::int64_t element = 100; element < kElements; element += kChunk / 4) {
    const std::int32_t value = static_cast<std::int32_t>(element) + 1;
    std::fstream bytes(path_, std::ios::in | std::ios::out | std::ios::binary);
    std::string content(std::istreambuf_iterator<char>(bytes), {});
    const std::int32_t pair[] = {value, value + 1};
    const auto place = content.find({reinterpret_cast<const char*>(pair), sizeof(pair)});
    ASSERT_NE(place, content.npos);
    const auto put = [&](int flip) {
      bytes.seekp(static_cast<std::streamoff>(place));
      bytes.put(static_cast<char>(content[place] ^ flip)).flush();
    };
    put(1);
    const auto damaged = Hdf5File::open(path_);
    // 1.14 has filters keep their reasons to themselves.
    const std::string_view reason =
        hdf5_version() < "1.14" ? "data error detected by Fletcher32 checksum" : "filter returned failure during read";
    EXPECT_EQ(message_of([&] { read_by_library(damaged, "/w"); }),
              fmt::format("hdf5: '{}' '/w' cannot be read: {}. The file is damaged", path_, reason));
    EXPECT_NE(message_of([&] { damaged.read<std::int32_t>("/w"); }), "");
    put(0);
  }
  EXPECT_EQ(read_by_library(Hdf5File::open(path_), "/w"), counting<std::int32_t>(kElements));
}

// Fletcher-32 of zeros is 0.
TEST_F(Hdf5Test, AZeroedChunkIsFound) {
  constexpr std::int64_t kElements = 1000;
  for (const int deflate : {0, 1}) {
    auto file = Hdf5File::create(path_);
    file.write<std::int32_t>("/w", {kElements}, std::vector<std::int32_t>(kElements, 0x5A5A5A5A),
                             {.chunk_bytes = 1024, .deflate = deflate});
    file.write<std::int32_t>("/scalar", {}, std::vector<std::int32_t>{0x5B5B5B5B});
    file.close();
    std::fstream bytes(path_, std::ios::in | std::ios::out | std::ios::binary);
    const std::string content(std::istreambuf_iterator<char>(bytes), {});
    const auto erase = [&](const std::string& text, std::size_t count) {
      bytes.seekp(static_cast<std::streamoff>(content.find(text)));
      bytes << std::string(count, '\0') << std::flush;
    };
    erase("[[[[", 4);
    if (deflate == 0) erase("ZZZZZZZZ", 1024 + 4);
    const auto damaged = Hdf5File::open(path_);
    const auto failure_of = [&](const std::string& name) {
      return message_of([&] { damaged.read<std::int32_t>(name); });
    };
    EXPECT_TRUE(failure_of("/scalar").starts_with("hdf5: '" + path_ + "' '/scalar' holds elements of sum "));
    EXPECT_EQ(failure_of("/w").starts_with("hdf5: '" + path_ + "' '/w' holds elements of sum "), deflate == 0);
  }
}

TEST_F(Hdf5Test, SumsAreThoseOfOtherPrograms) {
  ContentSum sum;
  for (const char* part : {"ab", "", "c"}) sum.add(std::as_bytes(std::span(part, std::strlen(part))));
  EXPECT_EQ(sum.text(), "06b05ab6733a618578af5f94892f3950");  // printf abc | xxhsum -H2
  auto file = Hdf5File::create(path_);
  const std::string text = "abc";
  for (const std::int64_t chunk_bytes : {1, 2, 3, 100}) {
    for (const int deflate : {0, 1}) {
      const std::string name = fmt::format("/{}/{}", chunk_bytes, deflate);
      file.write<std::uint8_t>(name, {3}, std::vector<std::uint8_t>(text.begin(), text.end()),
                               {.chunk_bytes = chunk_bytes, .deflate = deflate});
      EXPECT_EQ(file.string_attribute(name, "xxh3"), sum.text());
      file.write_elements<std::uint8_t>(name, 1, std::vector<std::uint8_t>{'x'});
      EXPECT_FALSE(file.has_sum(name));
      EXPECT_EQ(file.read<std::uint8_t>(name), (std::vector<std::uint8_t>{'a', 'x', 'c'}));
    }
  }
}

// The library reads zeros behind the end of a file.
TEST_F(Hdf5Test, CutWhileItIsOpen) {
  constexpr std::int64_t kElements = 1 << 18;
  for (const int deflate : {0, 1}) {
    auto file = Hdf5File::create(path_);
    std::vector<std::int32_t> values = counting<std::int32_t>(kElements);
    file.write<std::int32_t>("/w", {kElements}, values, {.chunk_bytes = 1 << 16, .deflate = deflate});
    file.close();
    const auto opened = Hdf5File::open(path_);
    EXPECT_EQ(opened.read<std::int32_t>("/w"), values);
    constexpr std::uintmax_t kPage = 4096;  // where some cuts fall between two chunks, which no sum of a chunk sees
    for (auto pages = std::filesystem::file_size(path_) / kPage; pages-- > 0;) {
      std::filesystem::resize_file(path_, pages * kPage);
      const std::string message = message_of([&] { opened.read<std::int32_t>("/w"); });
      EXPECT_TRUE(message.starts_with("hdf5: '" + path_ + "' '/w' ")) << pages << ": " << message;
    }
  }
}

TEST_F(Hdf5Test, AFlippedBitIsFound) {
  auto file = Hdf5File::create(path_);
  file.write<std::int32_t>("/w", {1000}, std::vector<std::int32_t>(1000, 0x5A5A5A5A));
  file.close();
  std::fstream bytes(path_, std::ios::in | std::ios::out | std::ios::binary);
  std::string content(std::istreambuf_iterator<char>(bytes), {});
  bytes.seekp(static_cast<std::streamoff>(content.find("ZZZZZZZZ") + 100));
  bytes.put('[');
  bytes.close();
  EXPECT_EQ(
      message_of([&] { Hdf5File::open(path_).read<std::int32_t>("/w"); }),
      "hdf5: '" + path_ + "' '/w' cannot be read: data error detected by Fletcher32 checksum. The file is damaged");
}

}  // namespace
}  // namespace phasor::io
