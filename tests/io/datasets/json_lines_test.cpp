#include "io/datasets/json_lines.h"

#include <gtest/gtest.h>

#include "tests/support/message.h"

namespace phasor::io {
namespace {

using test::message_of;

// Of the last line.
std::string read(std::string_view file) {
  return text_of_line("a.jsonl", file, file.substr(file.rfind('\n') + 1));  // npos + 1 is 0
}
std::string refusal_of(std::string_view file) {
  return message_of([&] { read(file); });
}

TEST(JsonLines, TheTextOfALine) {
  EXPECT_EQ(read(R"({"id": 7, "text": "a\n\u00e9 \ud83e\udd17", "meta": {"text": []}})"), "a\né 🤗");
  EXPECT_EQ(read("{\"text\": \"a\"}\r"), "a");
  EXPECT_EQ(read(R"({"text": ""})"), "");
  EXPECT_EQ(read(" \t\r"), "");
  EXPECT_EQ(read(""), "");
}

TEST(JsonLines, MistakesAreNamedByTheirLine) {
  EXPECT_EQ(refusal_of("{\"text\": \"a\"}\n\n{\"text\": \"a"),
            "text: 'a.jsonl' line 3 ends inside a JSON value. Was the file copied to its end?");
  EXPECT_EQ(refusal_of("{}\n{\"text\" \"a\"}"),
            "text: 'a.jsonl' line 2 is not valid JSON at byte 10, expected an object with the key text");
  EXPECT_EQ(refusal_of("{\"text\": \"a\"} {}"),
            "text: 'a.jsonl' line 1 is not valid JSON at byte 14, expected an object with the key text");
  EXPECT_EQ(refusal_of("{\"text\": \"a\xff\"}"), "text: 'a.jsonl' line 1 is not valid UTF-8 at byte 11");
  EXPECT_EQ(refusal_of("{\"text\": 1e999}"), "text: 'a.jsonl' line 1 holds a number too large for JSON readers");
  EXPECT_EQ(refusal_of("[]"), "text: 'a.jsonl' line 1 is a list, expected an object with the key text");
  EXPECT_EQ(refusal_of("{\"Text\": \"a\"}"), "text: 'a.jsonl' line 1 has no key text");
  EXPECT_EQ(refusal_of("{\"text\": [\"a\"]}"), "text: 'a.jsonl' line 1 has a list as text, expected a string");
}

TEST(JsonLines, DepthDoesNoHarm) {
  const std::string deep(100000, '[');
  EXPECT_EQ(refusal_of(deep), "text: 'a.jsonl' line 1 ends inside a JSON value. Was the file copied to its end?");
  EXPECT_EQ(refusal_of(deep + std::string(deep.size(), ']')),
            "text: 'a.jsonl' line 1 is a list, expected an object with the key text");
}

}  // namespace
}  // namespace phasor::io
