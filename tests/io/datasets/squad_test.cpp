#include "io/datasets/squad.h"

#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/message.h"
#include "tests/support/shared_data.h"
#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

using Json = nlohmann::json;

// One question about the context "Ça va bien, 中国." whose answer "bien" starts at character 6.
Json example() {
  const Json answer = {{"text", "bien"}, {"answer_start", 6}};
  const Json question = {{"id", "q0"}, {"question", "Ça va?"}, {"answers", {answer}}};
  return {{"version", "1.1"},
          {"data", {{{"title", "t"}, {"paragraphs", {{{"context", "Ça va bien, 中国."}, {"qas", {question}}}}}}}}};
}

class SquadTest : public testing::Test {
 protected:
  SquadData read(const std::string& content) {
    std::ofstream(path_, std::ios::binary) << content;
    return read_squad(path_);
  }
  std::string error_of(const std::string& content) {
    return test::message_of([&] { read(content); });
  }
  // The error once the value at `place` has become `value`, or is gone if that is none.
  std::string error_with(const std::string& place, const Json& value) {
    Json document = example();
    document[Json::json_pointer(place)] = value;
    return error_of(document.dump());
  }
  std::string error_without(const std::string& place, const std::string& key) {
    Json document = example();
    document[Json::json_pointer(place)].erase(key);
    return error_of(document.dump());
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("dev.json");
  std::string subject_ = "squad: '" + path_ + "' ";
};

const std::string kParagraph = "/data/0/paragraphs/0";
const std::string kQuestion = kParagraph + "/qas/0";
const std::string kAnswer = kQuestion + "/answers/0";

TEST_F(SquadTest, Version1) {
  const SquadData data = read(example().dump());
  ASSERT_EQ(data.contexts, (std::vector<std::string>{"Ça va bien, 中国."}));
  ASSERT_EQ(data.questions.size(), 1U);
  EXPECT_EQ(data.questions[0].id, "q0");
  EXPECT_EQ(data.questions[0].text, "Ça va?");
  EXPECT_EQ(data.questions[0].context, 0);
  EXPECT_EQ(data.questions[0].answers[0].text, "bien");
  EXPECT_EQ(data.questions[0].answers[0].start, 6);
  EXPECT_FALSE(data.questions[0].impossible);
  EXPECT_FALSE(data.has_impossible);
}

TEST_F(SquadTest, Version2) {
  Json document = example();
  const Json impossible = {{"id", "q0"}, {"question", "?"}, {"answers", Json::array()}, {"is_impossible", true}};
  document[Json::json_pointer(kQuestion)]["is_impossible"] = false;
  document[Json::json_pointer(kParagraph)]["qas"].push_back(impossible);
  const SquadData data = read(document.dump());
  EXPECT_TRUE(data.has_impossible);
  EXPECT_FALSE(data.questions[0].impossible);
  EXPECT_TRUE(data.questions[1].impossible);
  EXPECT_TRUE(data.questions[1].answers.empty());
}

TEST_F(SquadTest, AnswersMayTouchBothEndsOfTheContext) {
  Json document = example();
  document[Json::json_pointer(kAnswer)] = {{"text", "Ça va bien, 中国."}, {"answer_start", 0}};
  EXPECT_EQ(read(document.dump()).questions[0].answers[0].start, 0);
}

TEST_F(SquadTest, AnswersElsewhere) {
  const std::string place = subject_ + "data[0].paragraphs[0].qas[0].answers[0].answer_start ";
  EXPECT_EQ(error_with(kAnswer + "/answer_start", 512),
            place + "512 is outside the context (15 characters). Is this file SQuAD 1.1?");
  EXPECT_EQ(error_with(kAnswer + "/answer_start", -1),
            place + "-1 is outside the context (15 characters). Is this file SQuAD 1.1?");
  EXPECT_EQ(error_with(kAnswer + "/answer_start", 13),
            place + "13 puts the end of the answer at 17, outside the context (15 characters)");
  EXPECT_EQ(error_with(kAnswer + "/answer_start", 7),  // the byte at which "bien" starts
            place + "7 points at 'ien,', expected the answer 'bien'. Does it count characters?");
  EXPECT_EQ(error_with(kAnswer + "/text", ""),
            subject_ + "data[0].paragraphs[0].qas[0].answers[0].text is empty, expected a part of the context");
}

TEST_F(SquadTest, MissingKeys) {
  const std::string hint = " Is this a SQuAD file?";
  EXPECT_EQ(error_without("", "data"), subject_ + "data is missing, expected a list." + hint);
  EXPECT_EQ(error_without("/data/0", "paragraphs"),
            subject_ + "data[0].paragraphs is missing, expected a list." + hint);
  EXPECT_EQ(error_without(kParagraph, "context"),
            subject_ + "data[0].paragraphs[0].context is missing, expected a string." + hint);
  EXPECT_EQ(error_without(kParagraph, "qas"),
            subject_ + "data[0].paragraphs[0].qas is missing, expected a list." + hint);
  for (const std::string key : {"id", "question"}) {
    EXPECT_EQ(error_without(kQuestion, key),
              subject_ + "data[0].paragraphs[0].qas[0]." + key + " is missing, expected a string." + hint);
  }
  EXPECT_EQ(error_without(kQuestion, "answers"),
            subject_ + "data[0].paragraphs[0].qas[0].answers is missing, expected a list." + hint);
  EXPECT_EQ(error_without(kAnswer, "text"),
            subject_ + "data[0].paragraphs[0].qas[0].answers[0].text is missing, expected a string." + hint);
  EXPECT_EQ(
      error_without(kAnswer, "answer_start"),
      subject_ + "data[0].paragraphs[0].qas[0].answers[0].answer_start is missing, expected a whole number." + hint);
}

TEST_F(SquadTest, WrongTypes) {
  EXPECT_EQ(error_of("[1]"), subject_ + "holds a list, expected an object with the key data. Is this a SQuAD file?");
  EXPECT_EQ(error_with("/data", "x"), subject_ + "data is a string, expected a list");
  EXPECT_EQ(error_with("/data/0", 7), subject_ + "data[0] is a whole number, expected an object");
  EXPECT_EQ(error_with(kParagraph + "/context", nullptr),
            subject_ + "data[0].paragraphs[0].context is null, expected a string");
  EXPECT_EQ(error_with(kAnswer + "/answer_start", 6.5),
            subject_ +
                "data[0].paragraphs[0].qas[0].answers[0].answer_start is a number with a fraction, expected a "
                "whole number");
  EXPECT_EQ(error_with(kQuestion + "/is_impossible", 1),
            subject_ + "data[0].paragraphs[0].qas[0].is_impossible is a whole number, expected true or false");
}

TEST_F(SquadTest, ContradictionsAboutAnswers) {
  const std::string place = subject_ + "data[0].paragraphs[0].qas[0].answers ";
  EXPECT_EQ(error_with(kQuestion + "/answers", Json::array()),
            place + "is empty, expected an answer or is_impossible: true");
  EXPECT_EQ(error_with(kQuestion + "/is_impossible", true), place + "holds 1 of a question that is_impossible");
  EXPECT_EQ(error_with("/data", Json::array()), subject_ + "holds no question, expected at least one");
}

TEST_F(SquadTest, QuestionsAloneWhereAnswersAreOptional) {
  const auto read_with = [&](const Json& document) {
    std::ofstream(path_) << document.dump();
    return read_squad(path_, SquadAnswers::Optional).questions[0];
  };
  EXPECT_FALSE(read_with(example()).answers.empty());
  Json document = example();
  Json& question = document[Json::json_pointer(kQuestion)];
  question["answers"] = Json::array();
  EXPECT_TRUE(read_with(document).answers.empty());
  question.erase("answers");
  const SquadQuestion read = read_with(document);
  EXPECT_TRUE(read.answers.empty());
  EXPECT_FALSE(read.impossible);
  // What is there must be right all the same.
  question["answers"] = 3;
  EXPECT_THROW(read_with(document), UserError);
}

TEST_F(SquadTest, PlacesCountFromZeroInEveryList) {
  Json document = example();
  document["data"].push_back(document["data"][0]);
  Json& questions = document[Json::json_pointer("/data/1/paragraphs/0/qas")];
  questions.push_back(questions[0]);
  questions[1].erase("question");
  EXPECT_EQ(error_of(document.dump()), subject_ +
                                           "data[1].paragraphs[0].qas[1].question is missing, expected a string. "
                                           "Is this a SQuAD file?");
}

TEST_F(SquadTest, FilesThatAreNoJson) {
  EXPECT_EQ(test::message_of([&] { read_squad(path_); }), subject_ + "does not exist");
  EXPECT_EQ(error_of(""), subject_ + "is empty, expected a SQuAD JSON file");
  EXPECT_EQ(error_of("{\n \"data\": oops}"),
            subject_ + "is not valid JSON at line 2, column 10 (byte 11). Is this a SQuAD file?");
  EXPECT_EQ(error_of("{\"data\": \"a\xFF\"}"), subject_ + "is not valid UTF-8 at byte 11");
  EXPECT_EQ(error_of("{\"data\": 1e999}"),
            subject_ + "holds a number too large for JSON readers. Is this a SQuAD file?");
}

TEST_F(SquadTest, EveryTruncationIsAnErrorOfOneLine) {
  const std::string whole = example().dump();
  for (std::size_t bytes = 1; bytes < whole.size(); ++bytes) {
    const std::string message = error_of(whole.substr(0, bytes));
    EXPECT_EQ(message.rfind(subject_ + "ends inside a JSON value at line 1, column ", 0), 0U) << message;
    EXPECT_EQ(message.find('\n'), message.npos);
  }
}

TEST_F(SquadTest, RealFiles) {
  struct Case {
    const char* file;
    std::size_t contexts, questions;
    std::int64_t impossible;
  };
  for (const Case& c : {Case{"squad/train-v1.1.json", 18896, 87599, 0}, Case{"squad/dev-v1.1.json", 2067, 10570, 0},
                        Case{"squad/dev-v2.0.json", 1204, 11873, 5945}}) {
    PHASOR_NEEDS_DATA(c.file);
    const SquadData data = read_squad(test::shared_data(c.file));
    EXPECT_EQ(data.contexts.size(), c.contexts);
    EXPECT_EQ(data.questions.size(), c.questions);
    EXPECT_EQ(std::ranges::count(data.questions, true, &SquadQuestion::impossible), c.impossible);
  }
}

}  // namespace
}  // namespace phasor::io
