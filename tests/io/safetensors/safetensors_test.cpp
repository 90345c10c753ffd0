#include "io/safetensors/safetensors.h"

#include <bit>
#include <cstring>
#include <fstream>
#include <gtest/gtest.h>
#include <random>

#include "engine/base/bfloat16.h"
#include "io/safetensors/safetensors_writer.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

std::string length_of(std::uint64_t bytes) { return {reinterpret_cast<const char*>(&bytes), sizeof(bytes)}; }

// A tensor of a header: name, and what stands for it.
std::string entry(const std::string& dtype, const std::string& shape, const std::string& offsets) {
  return R"({"dtype":")" + dtype + R"(","shape":)" + shape + R"(,"data_offsets":)" + offsets + "}";
}

class SafetensorsTest : public testing::Test {
 protected:
  void write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  void write(const std::string& header, std::size_t data_bytes) {
    write(length_of(header.size()) + header + std::string(data_bytes, '\0'));
  }
  std::string error() {
    return test::message_of([&] { SafetensorsFile file(path_); });
  }
  std::string error_of(const std::string& header, std::size_t data_bytes) {
    write(header, data_bytes);
    return error();
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("model.safetensors");
  std::string subject_ = "safetensors: '" + path_ + "' ";
};

TEST_F(SafetensorsTest, ReadsTensorsByNameInAnyOrderAndType) {
  std::string header = R"({"b":)" + entry("F16", "[2]", "[12,16]") + R"(,"a":)" + entry("F32", "[1,3]", "[0,12]") +
                       R"(,"__metadata__":{"format":"pt"},"d":)" + entry("BF16", "[2,1,1,1,1]", "[17,21]") +
                       R"(,"c":)" + entry("BOOL", "[]", "[16,17]") + R"(,"e":)" + entry("F32", "[0,7]", "[21,21]") +
                       "}   ";
  const float a[] = {1, -2.5, 3e-40f};
  const std::uint16_t b[] = {0x3C00, 0x0001}, d[] = {0xC000, 0x7F80};
  write(length_of(header.size()) + header + std::string(reinterpret_cast<const char*>(a), 12) +
        std::string(reinterpret_cast<const char*>(b), 4) + "x" + std::string(reinterpret_cast<const char*>(d), 4));
  const SafetensorsFile file(path_);
  ASSERT_EQ(file.tensors().size(), 5u);
  EXPECT_EQ(file.tensors()[0].name, "a");
  EXPECT_EQ(to_string(*file.find("d")), "BF16[2, 1, 1, 1, 1]");
  EXPECT_EQ(file.find("f"), nullptr);
  const auto read = [&](const char* name, std::size_t count) {
    std::vector<float> values(count);
    file.read(*file.find(name), values);
    return values;
  };
  EXPECT_EQ(read("a", 3), std::vector<float>(std::begin(a), std::end(a)));
  EXPECT_EQ(read("b", 2), (std::vector<float>{1, 0x1p-24f}));
  EXPECT_EQ(read("d", 2), (std::vector<float>{-2, std::numeric_limits<float>::infinity()}));
  EXPECT_EQ(read("e", 0), std::vector<float>());
  EXPECT_EQ(test::message_of([&] { read("c", 1); }), subject_ + "tensor 'c' is BOOL[], expected F32, F16 or BF16");
}

TEST_F(SafetensorsTest, FilesThatAreNone) {
  EXPECT_EQ(error(), subject_ + "cannot be opened: No such file or directory");
  write("");
  EXPECT_EQ(error(), subject_ + "has 0 bytes, not even the length of a header");
  write("1234567");
  EXPECT_EQ(error(), subject_ + "has 7 bytes, not even the length of a header");
  write(length_of(100'000'001));
  EXPECT_EQ(error(), subject_ + "has a header of 100000001 bytes, the format allows 100000000. Is it this format?");
  write(length_of(~std::uint64_t{0}));
  EXPECT_EQ(error(), subject_ +
                         "has a header of 18446744073709551615 bytes, the format allows 100000000. Is it this "
                         "format?");
  write(length_of(100) + "{}");
  EXPECT_EQ(error(), subject_ + "has 10 bytes, its header alone ends at 108. Was it copied to its end?");
  EXPECT_EQ(error_of("", 0), subject_ + "has a header that does not begin with '{'. Is it this format?");
  EXPECT_EQ(error_of(" {}", 0), subject_ + "has a header that does not begin with '{'. Is it this format?");
  EXPECT_EQ(error_of("[]", 0), subject_ + "has a header that does not begin with '{'. Is it this format?");
  EXPECT_EQ(test::message_of([&] { SafetensorsFile file(folder_.path()); }),
            "safetensors: '" + folder_.path() + "' is not a file");
}

TEST_F(SafetensorsTest, HeadersThatAreNotJson) {
  const auto at = [&](int byte) {
    return subject_ + "has a header that is not JSON at its byte " + std::to_string(byte) + ". Is the file damaged?";
  };
  EXPECT_EQ(error_of("{", 0), at(1));
  EXPECT_EQ(error_of("{}x", 0), at(2));
  EXPECT_EQ(error_of("{}{}", 0), at(2));
  EXPECT_EQ(error_of(R"({"a")", 0), at(4));
  EXPECT_EQ(error_of("{\"\xFF\":1}", 0), at(2));
  EXPECT_EQ(error_of(std::string("{}\0\0", 4), 0), at(2));
}

TEST_F(SafetensorsTest, HeadersOfAnotherForm) {
  const std::string good = entry("F32", "[1]", "[0,4]");
  const auto error_with = [&](const std::string& value) { return error_of(R"({"a":)" + value + "}", 4); };
  EXPECT_EQ(error_with(good), "no error");
  EXPECT_EQ(error_with("1"), subject_ + "has 1 for 'a', expected an object");
  EXPECT_EQ(error_with("[]"), subject_ + "has a list for 'a', expected an object");
  EXPECT_EQ(error_with(R"("F32")"), subject_ + "has a string for 'a', expected an object");
  EXPECT_EQ(error_with("null"), subject_ + "has null for 'a', expected an object");
  EXPECT_EQ(error_with("{}"), subject_ + "tensor 'a' has no dtype");
  EXPECT_EQ(error_with(R"({"dtype":"F32","shape":[1]})"), subject_ + "tensor 'a' has no data_offsets");
  EXPECT_EQ(error_with(R"({"dtype":"F32","dtype":"F32"})"), subject_ + "tensor 'a' has dtype twice");
  EXPECT_EQ(error_with(R"({"type":"F32"})"), subject_ + "tensor 'a' has a field 'type', which the format does not");
  EXPECT_EQ(error_with(R"({"dtype":32})"), subject_ + "has 32 for dtype of 'a', expected a string");
  EXPECT_EQ(error_with(R"({"dtype":["F32"]})"), subject_ + "has a list for dtype of 'a', expected a string");
  EXPECT_EQ(error_with(R"({"shape":{}})"), subject_ + "has an object for shape of 'a', expected a list");
  EXPECT_EQ(error_with(R"({"shape":[-1]})"), subject_ + "has -1 for shape of 'a', expected a whole number");
  EXPECT_EQ(error_with(R"({"shape":[1.5]})"), subject_ + "has 1.5 for shape of 'a', expected a whole number");
  EXPECT_EQ(error_with(R"({"shape":[[1]]})"), subject_ + "has a list for shape of 'a', expected a whole number");
  EXPECT_EQ(error_with(R"({"shape":[true]})"),
            subject_ + "has true or false for shape of 'a', expected a whole number");
  EXPECT_EQ(error_with(R"({"shape":[9223372036854775808]})"),
            subject_ + "has 9223372036854775808 for shape of 'a', expected a whole number");
  EXPECT_EQ(error_with(R"({"shape":[99999999999999999999]})"),
            subject_ + "has 99999999999999999999 for shape of 'a', expected a whole number");
  EXPECT_EQ(error_with(entry("F32", "[1]", "[0]")), subject_ + "tensor 'a' has 1 data_offsets, expected 2");
  EXPECT_EQ(error_with(entry("F32", "[1]", "[0,2,4]")), subject_ + "tensor 'a' has 3 data_offsets, expected 2");
  EXPECT_EQ(error_with(entry("F33", "[1]", "[0,4]")), subject_ + "tensor 'a' has the unknown dtype 'F33'");
  EXPECT_EQ(error_of(R"({"__metadata__":{"a":1}})", 0), subject_ + "has 1 for 'a', expected a string");
  EXPECT_EQ(error_of(R"({"__metadata__":{"a":{}}})", 0), subject_ + "has an object for 'a', expected a string");
  EXPECT_EQ(error_of(R"({"__metadata__":{},"__metadata__":{}})", 0), subject_ + "has its __metadata__ twice");
  // As deep as a file may ask for: refused at the second bracket.
  EXPECT_EQ(error_with(R"({"shape":)" + std::string(1 << 20, '[')),
            subject_ + "has a list for shape of 'a', expected a whole number");
}

TEST_F(SafetensorsTest, OffsetsThatDisagree) {
  const auto error_with = [&](const std::string& a, const std::string& b, std::size_t data_bytes) {
    return error_of(R"({"a":)" + a + R"(,"b":)" + b + "}", data_bytes);
  };
  const std::string first = entry("F32", "[2]", "[0,8]");
  EXPECT_EQ(error_with(first, entry("F32", "[1]", "[8,12]"), 12), "no error");
  EXPECT_EQ(error_with(first, entry("F32", "[1]", "[8,12]"), 11),
            subject_ + "tensor 'b' ends at byte 12 of the data, which has 11. Was the file copied to its end?");
  EXPECT_EQ(error_with(first, entry("F32", "[1]", "[8,12]"), 13),
            subject_ + "has bytes 12 to 13 of the data that belong to no tensor");
  EXPECT_EQ(error_with(first, entry("F32", "[1]", "[12,16]"), 16),
            subject_ + "has bytes 8 to 12 of the data that belong to no tensor");
  EXPECT_EQ(error_with(first, entry("F32", "[1]", "[4,8]"), 8),
            subject_ + "tensor 'b' begins at byte 4 of the data inside of another's, which ends at 8");
  EXPECT_EQ(error_with(first, first, 8),
            subject_ + "tensor 'b' begins at byte 0 of the data inside of another's, which ends at 8");
  EXPECT_EQ(error_with(first, entry("U8", "[0]", "[4,4]"), 8),
            subject_ + "tensor 'b' begins at byte 4 of the data inside of another's, which ends at 8");
  EXPECT_EQ(error_with(first, entry("F32", "[1]", "[12,8]"), 12),
            subject_ + "tensor 'b' ends at byte 8, before it begins at 12");
  EXPECT_EQ(error_with(first, entry("F32", "[1]", "[8,9]"), 9),
            subject_ + "tensor 'b' is F32[1] of 4 bytes, but its data_offsets span 1");
  EXPECT_EQ(error_with(first, entry("F32", "[4611686018427387904]", "[8,8]"), 8),
            subject_ + "tensor 'b' has more elements than fit");
  EXPECT_EQ(error_with(first, entry("F32", "[4294967296,4294967296]", "[8,8]"), 8),
            subject_ + "tensor 'b' has more elements than fit");
  EXPECT_EQ(error_of(R"({"a":)" + first + R"(,"a":)" + entry("F32", "[1]", "[8,12]") + "}", 12),
            subject_ + "has the tensor 'a' twice");
  EXPECT_EQ(error_of("{}", 3), subject_ + "has bytes 0 to 3 of the data that belong to no tensor");
}

// Whatever single byte is damaged: the file is read, or refused in one line.
TEST_F(SafetensorsTest, DamageToAnyByteOfTheHeaderIsFoundOrHarmless) {
  const std::string header =
      R"({"a":)" + entry("F32", "[2]", "[0,8]") + R"(,"b":)" + entry("F16", "[2]", "[8,12]") + "}";
  const std::string whole = length_of(header.size()) + header + std::string(12, '\0');
  std::mt19937 draw(1);
  for (std::size_t byte = 0; byte < whole.size() - 12; ++byte) {
    std::string damaged = whole;
    damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << draw() % 8));
    write(damaged);
    const std::string message = error();
    EXPECT_TRUE(message == "no error" || message.starts_with(subject_)) << message;
    EXPECT_EQ(message.find('\n'), message.npos);
  }
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    write(whole.substr(0, bytes));
    EXPECT_TRUE(error().starts_with(subject_)) << bytes;
  }
}

TEST_F(SafetensorsTest, WhatIsWrittenIsReadBack) {
  // More elements than are converted at once, of a period that no size of a piece is a multiple of.
  std::vector<float> large((1 << 19) + 3), small = {0.5f, -1, 65504, 0x1p-24f};
  for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<float>(i % 2039) / 64;
  for (const StoredType type : {StoredType::f32, StoredType::f16, StoredType::bf16}) {
    SafetensorsWriter writer(path_, type, {{"large", {std::ssize(large)}}, {"é", {2, 2}}, {"empty", {0}}, {"one", {}}});
    writer.write(large);
    writer.write(small);
    writer.write({});
    writer.write(std::vector<float>{3});
    writer.close();
    const SafetensorsFile file(path_);
    ASSERT_EQ(file.tensors().size(), 4u);
    EXPECT_EQ(to_string(*file.find("é")), std::string(name_of(type)) + "[2, 2]");
    std::vector<float> values(large.size());
    file.read(*file.find("large"), values);
    for (std::size_t i = 0; i < large.size(); ++i) {
      const float expected = type == StoredType::bf16 ? to_float(to_bfloat16(large[i])) : large[i];
      ASSERT_EQ(values[i], expected) << i;  // of float16 each has few enough digits
    }
    values.resize(4);
    file.read(*file.find("é"), values);
    if (type != StoredType::bf16) {
      EXPECT_EQ(values, small);
    }
  }
}

TEST_F(SafetensorsTest, Float32KeepsEveryBit) {
  std::vector<float> values(4096);
  std::mt19937 draw(2);
  for (float& value : values) value = std::bit_cast<float>(static_cast<std::uint32_t>(draw()));
  SafetensorsWriter writer(path_, StoredType::f32, {{"x", {4096}}});
  writer.write(values);
  writer.close();
  const SafetensorsFile file(path_);
  std::vector<float> read(values.size());
  file.read(file.tensors()[0], read);
  EXPECT_EQ(std::memcmp(read.data(), values.data(), values.size() * sizeof(float)), 0);
}

TEST_F(SafetensorsTest, RefusesToWriteWhatFloat16DoesNotReach) {
  const std::vector<float> values = {1, 65520};
  SafetensorsWriter writer(path_, StoredType::f16, {{"w", {2}}});
  EXPECT_EQ(test::message_of([&] { writer.write(values); }),
            "safetensors: tensor 'w' has the value 65520, float16 ends at 65504. Try bfloat16");
  EXPECT_EQ(test::message_of([&] { SafetensorsWriter("/nowhere/x", StoredType::f32, {}); }),
            "safetensors: '/nowhere/x' cannot be written: No such file or directory");
}

}  // namespace
}  // namespace phasor::io
