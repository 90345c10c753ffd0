#include "io/vocabulary.h"

#include <fstream>
#include <gtest/gtest.h>

#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

class VocabularyTest : public testing::Test {
 protected:
  std::string error_of(const std::string& content) {
    std::ofstream(path_, std::ios::binary) << content;
    return test::message_of([&] { read_vocabulary(path_); });
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("vocab.txt");
  std::string subject_ = "vocab: '" + path_ + "' ";
};

TEST_F(VocabularyTest, OneTokenALineWithOrWithoutCarriageReturns) {
  const std::vector<std::string> expected = {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "é"};
  for (const std::string end : {"\n", "\r\n"}) {
    std::ofstream(path_, std::ios::binary) << "[PAD]" + end + "[UNK]" + end + "[CLS]" + end + "[SEP]" + end + "é";
    EXPECT_EQ(read_vocabulary(path_), expected);
  }
}

TEST_F(VocabularyTest, SaysWhatIsWrongAndWhere) {
  EXPECT_EQ(test::message_of([&] { read_vocabulary(path_); }), subject_ + "does not exist");
  EXPECT_EQ(test::message_of([&] { read_vocabulary(folder_.path()); }),
            "vocab: '" + folder_.path() + "' is a folder, expected a file");
  EXPECT_EQ(error_of(""), subject_ + "is empty, expected one token a line");
  EXPECT_EQ(error_of("[PAD]\n[UNK]\n\n[CLS]\n"), subject_ + "line 3 is empty, expected a token");
  EXPECT_EQ(error_of("[PAD]\nab\xFFz\n"), subject_ + "line 2 is not valid UTF-8 at byte 2. Is this a vocab.txt?");
  EXPECT_EQ(error_of("[PAD]\na\nb\na\n"), subject_ + "line 4 repeats the token 'a' of line 2");
  EXPECT_EQ(error_of("[PAD]\n[UNK]\n[CLS]\na\n"), subject_ + "has 4 tokens but not [SEP]. Is this a BERT vocabulary?");
}

}  // namespace
}  // namespace phasor::io
