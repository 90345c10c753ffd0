#include "io/json/json_object.h"

#include <fstream>
#include <gtest/gtest.h>

#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

class JsonObjectTest : public testing::Test {
 protected:
  void write(const std::string& bytes) { std::ofstream(path_, std::ios::binary) << bytes; }
  JsonMembers<std::string> texts() { return read_json_texts("predictions", path_); }
  JsonMembers<double> numbers() { return read_json_numbers("odds", path_); }
  std::string error_of(const std::string& bytes) {
    write(bytes);
    return test::message_of([&] { texts(); });
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("a.json");
  std::string subject_ = "predictions: '" + path_ + "' ";
};

TEST_F(JsonObjectTest, MembersKeepTheirOrderAndTheLastValueCounts) {
  write(R"({"b": "1", "a": "zwei é \u00e9 \ud83d\ude00", "b": ""})");
  EXPECT_EQ(texts(), (JsonMembers<std::string>{{"b", ""}, {"a", "zwei é é 😀"}}));
  write(R"({"b": -1, "a": 2.5, "c": 3e-1, "b": 18446744073709551615})");
  EXPECT_EQ(numbers(), (JsonMembers<double>{{"b", 18446744073709551615.0}, {"a", 2.5}, {"c", 0.3}}));
  write("{}");
  EXPECT_TRUE(texts().empty());
}

TEST_F(JsonObjectTest, WhatIsWrittenReadsBack) {
  const JsonMembers<std::string> members = {{"z\"\n", "a \\ \"quoted\"\ttext\x01"}, {"a", ""}, {"é", "中😀"}};
  JsonMembers<std::string> quoted;
  for (const auto& [key, value] : members) quoted.emplace_back(key, json_quote(value));
  write_json_members(path_, quoted);
  EXPECT_EQ(texts(), members);
  write_json_members(path_, {});
  EXPECT_TRUE(texts().empty());
  write_json_members(path_, {{"a", "1"}, {"b", "2.5"}});
  EXPECT_EQ(numbers(), (JsonMembers<double>{{"a", 1}, {"b", 2.5}}));
}

TEST_F(JsonObjectTest, EveryMistakeIsALine) {
  EXPECT_EQ(error_of(R"({"a": 3})"), subject_ + "has a number for 'a', expected a text");
  EXPECT_EQ(error_of(R"({"a": null})"), subject_ + "has null for 'a', expected a text");
  EXPECT_EQ(error_of(R"({"a": true})"), subject_ + "has true or false for 'a', expected a text");
  EXPECT_EQ(error_of(R"({"a": ["b"]})"), subject_ + "has a list for 'a', expected a text");
  EXPECT_EQ(error_of(R"({"a": {"b": "c"}})"), subject_ + "has an object for 'a', expected a text");
  EXPECT_EQ(error_of("[]"), subject_ + "holds a list, expected an object of question ids");
  EXPECT_EQ(error_of("3"), subject_ + "holds a number, expected an object of question ids");
  EXPECT_EQ(error_of(R"("a")"), subject_ + "holds a text, expected an object of question ids");
  EXPECT_EQ(error_of(R"({"a": "b")"), subject_ + "ends inside a JSON value. Was it copied to its end?");
  EXPECT_EQ(error_of(""), subject_ + "ends inside a JSON value. Was it copied to its end?");
  EXPECT_EQ(error_of(R"({"a" "b", "c": "d"})"), subject_ + "is not valid JSON at byte 8");
  EXPECT_EQ(error_of(R"({"a": "\ud800", "c": "d"})"), subject_ + "is not valid JSON at byte 14");
  EXPECT_EQ(error_of("{\"a\": \"\xFF\"}"), subject_ + "is not valid UTF-8 at byte 7");
  write(R"({"a": "1"})");
  EXPECT_EQ(test::message_of([&] { numbers(); }), "odds: '" + path_ + "' has a text for 'a', expected a number");
}

}  // namespace
}  // namespace phasor::io
