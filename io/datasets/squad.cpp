#include "io/datasets/squad.h"

#include <algorithm>

#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "io/json/json_text.h"
#include "io/text/utf8.h"

namespace phasor::io {

namespace {

using Json = nlohmann::json;

// Where we are in the document; becomes text only when something is wrong.
struct Place {
  const Place* parent = nullptr;
  std::string_view key;
  std::int64_t index = -1;  // in the list of that name

  std::string text() const {
    if (!parent) return "";
    const std::string above = parent->text();
    const std::string here = index < 0 ? std::string(key) : fmt::format("{}[{}]", key, index);
    return above.empty() ? here : above + "." + here;
  }
};

class Reader {
 public:
  Reader(const std::string& path, SquadAnswers answers) : path_(path), answers_(answers) {}

  SquadData read(Json& document) {
    const Place root;
    check(document.is_object(), "squad: '{}' holds {}, expected an object with the key data. Is this a SQuAD file?",
          path_, json_kind(document));
    for_each(document, root, "data", [&](Json& article, const Place& at) {
      for_each(article, at, "paragraphs", [&](Json& paragraph, const Place& here) { read_paragraph(paragraph, here); });
    });
    check(!data_.questions.empty(), "squad: '{}' holds no question, expected at least one", path_);
    return std::move(data_);
  }

 private:
  void read_paragraph(Json& paragraph, const Place& at) {
    data_.contexts.push_back(std::move(text(paragraph, at, "context")));
    context_characters_ = count_code_points(data_.contexts.back());
    for_each(paragraph, at, "qas", [&](Json& question, const Place& here) { read_question(question, here); });
  }

  void read_question(Json& value, const Place& at) {
    SquadQuestion question;
    question.context = static_cast<std::int64_t>(data_.contexts.size()) - 1;
    question.id = std::move(text(value, at, "id"));
    question.text = std::move(text(value, at, "question"));
    if (value.contains("is_impossible")) {
      const Json& impossible = member(value, at, "is_impossible", "true or false", &Json::is_boolean);
      question.impossible = impossible.get<bool>();
      data_.has_impossible = true;
    }
    const bool optional = answers_ == SquadAnswers::Optional;
    if (!optional || value.contains("answers")) {
      for_each(value, at, "answers",
               [&](Json& answer, const Place& here) { question.answers.push_back(read_answer(answer, here)); });
    }
    const Place answers{&at, "answers"};
    require(optional || question.impossible || !question.answers.empty(), answers,
            "is empty, expected an answer or is_impossible: true");
    require(!question.impossible || question.answers.empty(), answers, "holds {} of a question that is_impossible",
            question.answers.size());
    data_.questions.push_back(std::move(question));
  }

  SquadAnswer read_answer(Json& value, const Place& at) {
    SquadAnswer answer;
    answer.text = std::move(text(value, at, "text"));
    answer.start = member(value, at, "answer_start", "a whole number", &Json::is_number_integer).get<std::int64_t>();
    require(!answer.text.empty(), {&at, "text"}, "is empty, expected a part of the context");
    const Place start{&at, "answer_start"};
    require(answer.start >= 0 && answer.start < context_characters_, start,
            "{} is outside the context ({} characters). Is this file SQuAD 1.1?", answer.start, context_characters_);
    const std::int64_t end = answer.start + count_code_points(answer.text);
    require(end <= context_characters_, start,
            "{} puts the end of the answer at {}, outside the context ({} characters)", answer.start, end,
            context_characters_);
    const std::string_view found = slice_code_points(data_.contexts.back(), answer.start, end);
    require(found == answer.text, start, "{} points at '{}', expected the answer '{}'. Does it count characters?",
            answer.start, shown(found), shown(answer.text));
    return answer;
  }

  template <class Body>
  void for_each(Json& object, const Place& at, std::string_view key, Body body) {
    Place element{&at, key, 0};
    for (Json& value : member(object, at, key, "a list", &Json::is_array)) {
      require(value.is_object(), element, "is {}, expected an object", json_kind(value));
      body(value, element);
      ++element.index;
    }
  }

  std::string& text(Json& object, const Place& at, std::string_view key) {
    return member(object, at, key, "a string", &Json::is_string).get_ref<std::string&>();
  }

  Json& member(Json& object, const Place& at, std::string_view key, std::string_view expected,
               bool (Json::*is_expected)() const noexcept) {
    const auto found = object.find(key);
    require(found != object.end(), {&at, key}, "is missing, expected {}. Is this a SQuAD file?", expected);
    require(((*found).*is_expected)(), {&at, key}, "is {}, expected {}", json_kind(*found), expected);
    return *found;
  }

  template <class... Args>
  void require(bool condition, const Place& at, fmt::format_string<Args...> message, Args&&... args) const {
    if (condition) [[likely]]
      return;
    throw UserError(
        fmt::format("squad: '{}' {} {}", path_, at.text(), fmt::format(message, std::forward<Args>(args)...)));
  }

  const std::string& path_;
  SquadAnswers answers_;
  SquadData data_;
  std::int64_t context_characters_ = 0;
};

}  // namespace

SquadData read_squad(const std::string& path, SquadAnswers answers, Listener& listener) {
  const std::string bytes = read_file("squad", path);
  const auto progress = listener.progress("reading", std::ssize(bytes) / 1024, "KiB");
  Json document = parse_json("squad", path, bytes, "SQuAD", progress.get());
  return Reader(path, answers).read(document);
}

}  // namespace phasor::io
