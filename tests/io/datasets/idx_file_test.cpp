#include "io/datasets/idx_file.h"

#include <fstream>
#include <gmock/gmock.h>
#include <zlib.h>

#include "engine/base/error.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

using namespace phasor::test;
using ::testing::HasSubstr;

std::string number(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}
std::string images(std::uint32_t count, std::uint32_t rows, std::uint32_t columns, const std::string& pixels) {
  return number(2051) + number(count) + number(rows) + number(columns) + pixels;
}
std::string labels(std::uint32_t count, const std::string& bytes) { return number(2049) + number(count) + bytes; }

class IdxFile : public ::testing::Test {
 protected:
  std::string plain(const std::string& bytes) {
    std::ofstream(path_, std::ios::binary) << bytes;
    return path_;
  }
  std::string compressed(const std::string& bytes) {
    const gzFile file = gzopen(path_.c_str(), "wb");
    EXPECT_EQ(gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size())), static_cast<int>(bytes.size()));
    EXPECT_EQ(gzclose(file), Z_OK);
    return path_;
  }
  std::string content() {
    std::ifstream file(path_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static std::string refusal_of(const std::string& path) {
    try {
      read_idx_images(path);
    } catch (const UserError& error) {
      return error.what();
    }
    return "none";
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("digits");
};

TEST_F(IdxFile, ImagesAreReadCompressedOrNot) {
  const std::string bytes = images(2, 2, 3, "abcdefghijk\xff");
  for (const bool is_compressed : {false, true}) {
    const IdxImages read = read_idx_images(is_compressed ? compressed(bytes) : plain(bytes));
    EXPECT_EQ(read.count, 2);
    EXPECT_EQ(read.rows, 2);
    EXPECT_EQ(read.columns, 3);
    EXPECT_EQ(read.pixels, (std::vector<std::uint8_t>{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 255}));
  }
}

TEST_F(IdxFile, LabelsAreReadCompressedOrNot) {
  EXPECT_EQ(read_idx_labels(plain(labels(3, "\x09\x01\xfe"))), (std::vector<std::uint8_t>{9, 1, 254}));
  EXPECT_EQ(read_idx_labels(compressed(labels(3, "\x09\x01\xfe"))), (std::vector<std::uint8_t>{9, 1, 254}));
  EXPECT_TRUE(read_idx_labels(plain(labels(0, ""))).empty());
}

// More than is decompressed at a time.
TEST_F(IdxFile, LargeImagesAreReadWhole) {
  std::string pixels(3 * 1000 * 1000, 'x');
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<char>(i % 251);
  const IdxImages read = read_idx_images(compressed(images(3, 1000, 1000, pixels)));
  EXPECT_TRUE(std::equal(pixels.begin(), pixels.end(), read.pixels.begin(), read.pixels.end(),
                         [](char a, std::uint8_t b) { return static_cast<std::uint8_t>(a) == b; }));
}

TEST_F(IdxFile, WhatIsAnotherFileIsRefused) {
  EXPECT_EQ(refusal_of(plain(labels(1, "\x01"))),
            "idx: '" + path_ + "' begins with 2049 (labels), expected 2051 (images)");
  EXPECT_THAT(refusal_of(plain("PNG?....")), HasSubstr("(neither images nor labels), expected 2051 (images)"));
  EXPECT_THAT(refusal_of(plain("")), HasSubstr("ends within its header"));
  EXPECT_THAT(refusal_of(plain(images(1, 2, 2, "").substr(0, 15))), HasSubstr("ends within its header"));
  EXPECT_THAT(refusal_of(folder_.file("none")), HasSubstr("idx: '" + folder_.file("none") + "' does not exist"));
  EXPECT_THROW(read_idx_labels(plain(images(1, 1, 1, "x"))), UserError);
}

TEST_F(IdxFile, WhatDoesNotHaveTheCountedLengthIsRefused) {
  const std::string shorter = images(2, 2, 2, "1234567"), longer = images(2, 2, 2, "123456789");
  const auto ends_early = HasSubstr("has 7 bytes behind its header, which counts 8");
  const auto goes_on = HasSubstr("goes on behind the 8 bytes that its header counts");
  EXPECT_THAT(refusal_of(plain(shorter)), ends_early);
  EXPECT_THAT(refusal_of(compressed(shorter)), ends_early);
  EXPECT_THAT(refusal_of(plain(longer)), goes_on);
  EXPECT_THAT(refusal_of(compressed(longer)), goes_on);
}

TEST_F(IdxFile, HugeCountsTakeNoMemory) {
  EXPECT_THAT(refusal_of(plain(images(0xFFFFFFFF, 65536, 65536, "1"))), HasSubstr("has 1 bytes behind its header"));
  EXPECT_THAT(refusal_of(plain(images(1, 0xFFFFFFFF, 1, "1"))), HasSubstr("has images of 4294967295 x 1 pixels"));
  EXPECT_THAT(refusal_of(plain(images(1, 0, 1, ""))), HasSubstr("has images of 0 x 1 pixels"));
}

TEST_F(IdxFile, DamagedCompressionIsRefused) {
  const std::string bytes = images(2, 2, 3, "abcdefghijkl");
  compressed(bytes);
  const std::string whole = content();
  EXPECT_THAT(refusal_of(plain(whole.substr(0, whole.size() - 5))), HasSubstr("in the middle of what gzip compressed"));
  EXPECT_THAT(refusal_of(plain(whole + "x")), HasSubstr("has 1 bytes behind what gzip compressed"));
  std::string damaged = whole;
  damaged[whole.size() - 8] ^= 1;  // of the sum
  EXPECT_THAT(refusal_of(plain(damaged)), HasSubstr("is damaged"));
}

TEST(Mnist, IsReadWhole) {
  PHASOR_NEEDS_DATA("mnist/t10k-images-idx3-ubyte.gz");
  const IdxImages test = read_idx_images(shared_data("mnist/t10k-images-idx3-ubyte.gz"));
  EXPECT_EQ(test.count, 10000);
  EXPECT_EQ(test.rows, 28);
  EXPECT_EQ(test.columns, 28);
  const auto digits = read_idx_labels(shared_data("mnist/t10k-labels-idx1-ubyte.gz"));
  EXPECT_EQ(digits.size(), 10000u);
  EXPECT_EQ(std::ranges::count(digits, 7), 1028);  // of the test set
  EXPECT_EQ(std::vector(digits.begin(), digits.begin() + 5), (std::vector<std::uint8_t>{7, 2, 1, 0, 4}));
}

}  // namespace
}  // namespace phasor::io
