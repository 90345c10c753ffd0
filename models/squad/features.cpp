#include "models/squad/features.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "io/text/utf8.h"
#include "models/squad/windows.h"

namespace phasor::squad {

namespace {

constexpr std::int64_t kSpecialTokens = 3;  // [CLS] and two [SEP]

// Questions and contexts a thread takes at once.
constexpr std::int64_t kGrain = 64;

void check_settings(const FeatureSettings& settings) {
  const std::int64_t room = settings.sequence_length - kSpecialTokens - settings.max_query_length;
  check(settings.document_stride >= 0 && settings.max_query_length >= 0,
        "squad: document_stride {} and max_query_length {} must not be negative", settings.document_stride,
        settings.max_query_length);
  check(
      room > settings.document_stride,
      "squad: sequence_length - max_query_length - special tokens = {} - {} - {} = {} tokens of context do not exceed "
      "document_stride {}, which neighbouring windows share",
      settings.sequence_length, settings.max_query_length, kSpecialTokens, room, settings.document_stride);
}

// A context is tokenised once, however many questions are asked about it.
std::vector<io::Tokens> encode_contexts(const io::SquadData& data, const io::WordPiece& wordpiece) {
  std::vector<io::Tokens> contexts(data.contexts.size());
  parallel_for_ranges(std::ssize(contexts), kGrain, [&](std::int64_t begin, std::int64_t end) {
    io::Words words;
    for (std::int64_t i = begin; i < end; ++i) wordpiece.encode(data.contexts[i], contexts[i], words);
  });
  return contexts;
}

std::vector<std::vector<std::int32_t>> encode_questions(const io::SquadData& data, const io::WordPiece& wordpiece,
                                                        std::int64_t max_tokens) {
  std::vector<std::vector<std::int32_t>> questions(data.questions.size());
  parallel_for_ranges(std::ssize(questions), kGrain, [&](std::int64_t begin, std::int64_t end) {
    io::Words words;
    io::Tokens tokens;
    for (std::int64_t i = begin; i < end; ++i) {
      tokens.clear();
      wordpiece.encode(data.questions[i].text, tokens, words);
      const auto kept = std::min<std::int64_t>(std::ssize(tokens.ids), max_tokens);
      questions[i].assign(tokens.ids.begin(), tokens.ids.begin() + kept);
    }
  });
  return questions;
}

class Builder {
 public:
  Builder(const io::SquadData& data, const io::WordPiece& wordpiece, const FeatureSettings& settings)
      : data_(data),
        wordpiece_(wordpiece),
        settings_(settings),
        contexts_(encode_contexts(data, wordpiece)),
        questions_(encode_questions(data, wordpiece, settings.max_query_length)) {}

  Features build(io::Progress* progress) {
    lay_out();
    parallel_for_ranges(std::ssize(questions_), kGrain, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t question = begin; question < end; ++question) {
        for (std::int64_t f = first_features_[question]; f < first_features_[question + 1]; ++f) fill(f, question);
      }
      if (progress) progress->advance(end - begin);
    });
    return std::move(features_);
  }

 private:
  const io::Tokens& context_of(std::int64_t question) const { return contexts_[data_.questions[question].context]; }

  // Tokens of the context that fit beside the question.
  std::int64_t room(std::int64_t question) const {
    return settings_.sequence_length - kSpecialTokens - std::ssize(questions_[question]);
  }

  Window window(std::int64_t question, std::int64_t index) const {
    return window_at(index, std::ssize(context_of(question).ids), room(question), settings_.document_stride);
  }

  // Gives every feature its place, so that they can be filled in any order.
  void lay_out() {
    features_.pad = wordpiece_.pad();
    first_features_.push_back(0);
    for (std::int64_t question = 0; question < std::ssize(questions_); ++question) {
      const std::int64_t length = std::ssize(context_of(question).ids);
      const std::int64_t windows = count_windows(length, room(question), settings_.document_stride);
      for (std::int64_t index = 0; index < windows; ++index) {
        const Window part = window(question, index);
        features_.rows.push_back(features_.rows.back() + kSpecialTokens + std::ssize(questions_[question]) + part.end -
                                 part.begin);
      }
      first_features_.push_back(first_features_.back() + windows);
    }
    const auto features = static_cast<std::size_t>(first_features_.back());
    const auto tokens = static_cast<std::size_t>(features_.rows.back());
    for (auto* list : {&features_.questions, &features_.context_begins, &features_.starts, &features_.ends})
      list->resize(features);
    features_.tokens.resize(tokens);
    if (!settings_.keep_characters) return;
    features_.char_begins.resize(tokens);
    features_.char_ends.resize(tokens);
  }

  void fill(std::int64_t feature, std::int64_t question) {
    const std::vector<std::int32_t>& query = questions_[question];
    const io::Tokens& context = context_of(question);
    const auto [begin, end] = window(question, feature - first_features_[question]);
    const std::int64_t row = features_.rows[feature];
    const std::int64_t context_begin = 2 + std::ssize(query);

    auto token = features_.tokens.begin() + row;
    *token++ = wordpiece_.cls();
    token = std::copy(query.begin(), query.end(), token);
    *token++ = wordpiece_.sep();
    token = std::copy(context.ids.begin() + begin, context.ids.begin() + end, token);
    *token = wordpiece_.sep();
    if (settings_.keep_characters) {
      const std::int64_t at = row + context_begin;
      std::copy(context.begins.begin() + begin, context.begins.begin() + end, features_.char_begins.begin() + at);
      std::copy(context.ends.begin() + begin, context.ends.begin() + end, features_.char_ends.begin() + at);
    }
    features_.questions[feature] = static_cast<std::int32_t>(question);
    features_.context_begins[feature] = static_cast<std::int32_t>(context_begin);

    const auto& answers = data_.questions[question].answers;
    if (answers.empty()) return;
    const std::int64_t answer_end = answers.front().start + io::count_code_points(answers.front().text);
    const TokenSpan span =
        find_answer(std::span(context.begins).subspan(begin, end - begin),
                    std::span(context.ends).subspan(begin, end - begin), answers.front().start, answer_end);
    if (span.first < 0) return;
    features_.starts[feature] = static_cast<std::int32_t>(context_begin + span.first);
    features_.ends[feature] = static_cast<std::int32_t>(context_begin + span.last);
  }

  const io::SquadData& data_;
  const io::WordPiece& wordpiece_;
  const FeatureSettings& settings_;
  std::vector<io::Tokens> contexts_;                  // [contexts]
  std::vector<std::vector<std::int32_t>> questions_;  // [questions] ids
  std::vector<std::int64_t> first_features_;          // [questions + 1]
  Features features_;
};

}  // namespace

Features make_features(const io::SquadData& data, const io::WordPiece& wordpiece, const FeatureSettings& settings,
                       io::Progress* progress) {
  check_settings(settings);
  return Builder(data, wordpiece, settings).build(progress);
}

}  // namespace phasor::squad
