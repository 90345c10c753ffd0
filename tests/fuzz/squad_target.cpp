#include "engine/base/error.h"
#include "io/datasets/squad.h"
#include "io/text/utf8.h"
#include "tests/fuzz/fuzz_target.h"

namespace phasor::fuzz {

std::vector<std::string> seeds() {
  const std::string first =
      R"({"version":"1.1","data":[{"title":"t","paragraphs":[{"context":"Ça va bien, 中国 😀.","qas":[)"
      R"({"id":"q0","question":"Ça va?","answers":[{"text":"bien","answer_start":6},{"text":"中国","answer_start":12}]},)"
      R"({"id":"q1","question":"Où?","answers":[{"text":"😀","answer_start":15}]}]},)"
      R"({"context":"é\u0301 \ud83d\ude00 end","qas":[{"id":"q2","question":"?","answers":[{"text":"end","answer_start":5}]}]}]}]})";
  const std::string second =
      "{\n \"data\": [{\"paragraphs\": [{\"context\": \"One man won.\", \"qas\": [\n"
      "  {\"id\": \"a\", \"question\": \"Who won?\", \"is_impossible\": false,\n"
      "   \"answers\": [{\"text\": \"One man\", \"answer_start\": 0}]},\n"
      "  {\"id\": \"b\", \"question\": \"Who lost?\", \"is_impossible\": true, \"answers\": [],\n"
      "   \"plausible_answers\": [{\"text\": \"One\", \"answer_start\": 0}]}]}]}]}\n";
  return {first, second, std::string(kMostInputBytes, '['),
          R"({"data":[{"paragraphs":)" + std::string(kMostInputBytes / 2, '[') +
              std::string(kMostInputBytes / 2 - 99, ']') + "}]}"};
}

std::vector<std::string> words() {
  return {"\"data\":",
          "\"paragraphs\":",
          "\"qas\":",
          "\"context\":",
          "\"answers\":",
          "\"answer_start\":",
          "\"text\":",
          "\"is_impossible\":",
          "\"id\":",
          "true",
          "false",
          "null",
          "[]",
          "{}",
          "[",
          "{",
          "]",
          "}",
          ",",
          "\"\"",
          "-1",
          "1e999",
          "1.5",
          "\xff",
          "\xed\xa0\x80",
          "\xf4\x90\x80\x80",
          "\\ud800",
          "\\u0000",
          "\n",
          "9223372036854775807",
          "18446744073709551616"};
}

void read_input(const std::string& path) {
  io::SquadData data;
  try {
    data = io::read_squad(path);
  } catch (const UserError&) {
    data = io::read_squad(path, io::SquadAnswers::Optional);
  }
  for (const io::SquadQuestion& question : data.questions) {
    const std::string& context = data.contexts.at(static_cast<std::size_t>(question.context));
    for (const io::SquadAnswer& answer : question.answers) {
      const auto end = answer.start + io::count_code_points(answer.text);
      ensure(io::slice_code_points(context, answer.start, end) == answer.text, "fuzz: an answer does not stand there");
    }
  }
}

}  // namespace phasor::fuzz
