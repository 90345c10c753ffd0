#include "models/squad/spans.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>

#include "engine/base/error.h"
#include "io/text/utf8.h"

namespace phasor::squad {

namespace {

// Positions [first, last) of the `count` highest logits, highest first; of equal ones the earlier. NaN is no candidate.
std::vector<std::int64_t> highest(std::span<const float> logits, std::int64_t first, std::int64_t last,
                                  std::int64_t count) {
  std::vector<std::int64_t> positions(static_cast<std::size_t>(last - first));
  std::iota(positions.begin(), positions.end(), first);
  std::erase_if(positions, [&](std::int64_t position) { return logits[position] != logits[position]; });
  const auto kept = positions.begin() + std::min(count, std::ssize(positions));
  std::partial_sort(positions.begin(), kept, positions.end(), [&](std::int64_t a, std::int64_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  positions.erase(kept, positions.end());
  return positions;
}

bool ranks_before(const AnswerSpan& a, const AnswerSpan& b) {
  if (a.score() != b.score()) return a.score() > b.score();
  return std::tie(a.char_begin, a.char_end) < std::tie(b.char_begin, b.char_end);
}

// Before any feature was added. Half of the largest, so that the score is finite, too.
constexpr AnswerSpan kNoLogits{.start_logit = std::numeric_limits<float>::max() / 2,
                               .end_logit = std::numeric_limits<float>::max() / 2};

// Best first, each pair of characters once with its best score.
void rank(std::vector<AnswerSpan>& spans, std::int64_t count) {
  std::sort(spans.begin(), spans.end(), ranks_before);
  std::vector<AnswerSpan> kept;
  for (const AnswerSpan& span : spans) {
    const bool seen = std::any_of(kept.begin(), kept.end(), [&](const AnswerSpan& other) {
      return other.char_begin == span.char_begin && other.char_end == span.char_end;
    });
    if (!seen) kept.push_back(span);
    if (std::ssize(kept) == count) break;
  }
  spans = std::move(kept);
}

}  // namespace

float Prediction::null_odds() const {
  return spans.empty() ? std::numeric_limits<float>::max() : null.score() - spans.front().score();
}

SpanSearch::SpanSearch(const io::SquadData& data, const Features& features, const SpanSettings& settings)
    : data_(data), features_(features), settings_(settings), found_(data.questions.size()) {
  check(settings.n_best > 0 && settings.max_answer_tokens > 0,
        "squad: n_best {} and max_answer_tokens {} must be at least 1", settings.n_best, settings.max_answer_tokens);
  ensure(std::ssize(features.char_begins) == features.rows.back(), "squad: features without characters");
  for (Prediction& question : found_) question.null = kNoLogits;
}

void SpanSearch::add(std::int64_t feature, std::span<const float> start_logits, std::span<const float> end_logits) {
  const std::int64_t length = features_.length(feature);
  ensure(std::ssize(start_logits) == length && std::ssize(end_logits) == length,
         "squad: {} start and {} end logits for a feature of {} tokens", start_logits.size(), end_logits.size(),
         length);
  Prediction& question = found_[features_.questions[feature]];
  const AnswerSpan null{.start_logit = start_logits[0], .end_logit = end_logits[0]};
  if (null.score() < question.null.score()) question.null = null;

  const std::int64_t first = features_.context_begins[feature];
  const std::int64_t last = length - 1;  // the [SEP] behind the window
  const std::vector<std::int64_t> ends = highest(end_logits, first, last, settings_.n_best);
  const auto begins_of = std::span(features_.char_begins).subspan(features_.rows[feature]);
  const auto ends_of = std::span(features_.char_ends).subspan(features_.rows[feature]);
  for (const std::int64_t start : highest(start_logits, first, last, settings_.n_best)) {
    for (const std::int64_t end : ends) {
      if (end < start || end - start >= settings_.max_answer_tokens) continue;
      question.spans.push_back({begins_of[start], ends_of[end], start_logits[start], end_logits[end]});
    }
  }
  rank(question.spans, settings_.n_best);
}

std::string SpanSearch::text_of(std::int64_t question, const AnswerSpan& span) const {
  const std::string& context = data_.contexts[data_.questions[question].context];
  return std::string(io::slice_code_points(context, span.char_begin, span.char_end));
}

std::vector<Prediction> SpanSearch::predictions() const {
  std::vector<Prediction> predictions = found_;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    Prediction& prediction = predictions[i];
    if (prediction.spans.empty()) continue;
    if (data_.has_impossible && prediction.null_odds() > settings_.null_threshold) continue;
    prediction.text = text_of(static_cast<std::int64_t>(i), prediction.spans.front());
  }
  return predictions;
}

std::vector<AnswerCandidate> SpanSearch::candidates(std::int64_t question) const {
  std::vector<AnswerSpan> spans = found_[question].spans;
  if (data_.has_impossible || spans.empty()) {
    const AnswerSpan& null = found_[question].null;
    const auto place = std::ranges::find_if(spans, [&](const AnswerSpan& span) { return span.score() < null.score(); });
    spans.insert(place, null);
  }
  double total = 0;
  std::vector<AnswerCandidate> candidates;
  for (const AnswerSpan& span : spans) {
    const double weight = std::exp(static_cast<double>(span.score()) - static_cast<double>(spans.front().score()));
    candidates.push_back({.text = text_of(question, span), .probability = weight, .span = span});
    total += weight;
  }
  for (AnswerCandidate& candidate : candidates) candidate.probability /= total;
  return candidates;
}

}  // namespace phasor::squad
