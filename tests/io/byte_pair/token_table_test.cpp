#include "io/byte_pair/token_table.h"

#include <gtest/gtest.h>
#include <set>

namespace phasor::io {
namespace {

// Of every length that is found, texts that differ in one byte or in their length alone.
TEST(TokenTableTest, FindsTheTextsThatItHoldsAndNoOthers) {
  std::set<std::string> texts;
  for (std::size_t bytes = 1; bytes <= TokenTable::kMostBytes; ++bytes) {
    for (const char filler : {'\0', 'a', '\xFF'}) {
      const std::string text(bytes, filler);
      texts.insert(text);
      for (std::size_t i = 0; i < bytes; ++i) texts.insert(std::string(text).replace(i, 1, "b"));
    }
  }
  const std::vector<std::string> all(texts.begin(), texts.end());
  std::vector<std::int32_t> even;
  for (std::int32_t id = 0; id < std::ssize(all); id += 2) even.push_back(id);
  const TokenTable table(all, even);
  for (std::int32_t id = 0; id < std::ssize(all); ++id) {
    EXPECT_EQ(table.find(all[static_cast<std::size_t>(id)]), id % 2 == 0 ? id : -1) << id;
  }
}

TEST(TokenTableTest, DoesNotFindLongTexts) {
  const std::vector<std::string> texts = {std::string(TokenTable::kMostBytes + 1, 'a'), "a"};
  const TokenTable table(texts, std::vector<std::int32_t>{0, 1});
  EXPECT_EQ(table.find(texts[0]), -1);
  EXPECT_EQ(table.find("a"), 1);
  EXPECT_EQ(TokenTable(texts, {}).find("a"), -1);
}

}  // namespace
}  // namespace phasor::io
