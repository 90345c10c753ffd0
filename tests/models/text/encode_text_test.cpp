#include "models/text/encode_text.h"

#include <gtest/gtest.h>

#include "engine/base/parallel.h"
#include "tests/models/text/small_encoders.h"
#include "tests/models/text/text_files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::text {
namespace {

using namespace phasor::test;

struct Encoded {
  std::vector<std::int32_t> ids;
  std::vector<std::int64_t> document_ends;
  friend bool operator==(const Encoded&, const Encoded&) = default;
};

Encoded encode(std::span<const TextFile> files, const TextEncoder& encoder) {
  Encoded encoded;
  const auto keep = [&](std::span<const std::int32_t> ids) {
    encoded.ids.insert(encoded.ids.end(), ids.begin(), ids.end());
  };
  encoded.document_ends = encode_text(files, encoder, keep, io::silent());
  return encoded;
}

TEST(EncodeText, EachDocumentEndsWithItsToken) {
  const TemporaryFolder folder;
  const std::vector<TextFile> files = {text_file(folder.file("a.txt"), "ab<|endoftext|>c"),
                                       text_file(folder.file("none.txt"), ""),
                                       text_file(folder.file("b.jsonl"),
                                                 "{\"text\": \"d\\n\"}\n\n{\"text\": \"\"}\n"
                                                 "{\"text\": \"e\"}\n")};
  ByteEncoder encoder;
  EXPECT_EQ(encode(files, encoder), (Encoded{{'a', 'b', 256, 'c', 256, 'd', '\n', 256, 'e', 256}, {3, 5, 8, 10}}));
  encoder.has_end = false;
  EXPECT_EQ(encode(files, encoder), (Encoded{{'a', 'b', 'c', 'd', '\n', 'e'}, {2, 3, 5, 6}}));
  EXPECT_EQ(encode({}, encoder), Encoded{});
}

// More pieces than are encoded at once, of one document and of many.
TEST(EncodeText, AnyNumberOfThreadsGivesTheSame) {
  const TemporaryFolder folder;
  std::string words, lines;
  for (std::int64_t i = 0; words.size() < (17 << 20); ++i)
    words += fmt::format("word {} and\n\n  more", i * 7919 % 10007);
  for (int i = 0; lines.size() < (2 << 20); ++i)
    lines += fmt::format("{{\"text\": \"line {} {}\"}}\n", i, std::string(static_cast<std::size_t>(i % 97), 'x'));
  const std::vector<TextFile> files = {text_file(folder.file("a.txt"), words),
                                       text_file(folder.file("b.jsonl"), lines)};
  const WordEncoder encoder;
  set_threads(1);
  const Encoded alone = encode(files, encoder);
  Encoded whole;
  encoder.encode(words, whole.ids);
  ASSERT_TRUE(std::ranges::equal(whole.ids, std::span(alone.ids).first(whole.ids.size())));
  EXPECT_EQ(alone.document_ends.front(), std::ssize(whole.ids) + 1);
  EXPECT_EQ(std::ssize(alone.document_ends), 1 + std::ranges::count(lines, '\n'));
  for (const int count : {2, 3}) {
    set_threads(count);
    EXPECT_TRUE(encode(files, encoder) == alone) << count;
  }
  set_threads(1);
}

// That of the first in order, although a later piece comes upon its own first.
TEST(EncodeText, TheFirstMistakeIsTold) {
  const TemporaryFolder folder;
  std::string lines;
  for (int i = 0; i < 50000; ++i) lines += i == 30000 || i == 45000 ? "{\"text\": 7}\n" : "{\"text\": \"a line\"}\n";
  const std::vector<TextFile> files = {text_file(folder.file("a.jsonl"), lines)};
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    EXPECT_EQ(message_of([&] { encode(files, ByteEncoder()); }),
              "text: '" + folder.file("a.jsonl") + "' line 30001 has a whole number as text, expected a string");
  }
  set_threads(1);
}

}  // namespace
}  // namespace phasor::text
