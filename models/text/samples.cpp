#include "models/text/samples.h"

#include <algorithm>

#include "engine/base/error.h"
#include "io/files/content_sum.h"
#include "models/batches/row_segments.h"

namespace phasor::text {

TextSamples::TextSamples(TokenStream stream, const WindowSettings& settings)
    : stream_(std::move(stream)), windows_(make_windows(stream_.document_ends(), settings)) {
  check(!windows_.empty(), "text: none of {} documents has two tokens, a token to read and one to predict",
        stream_.document_ends().size());
}

void TextSamples::fill(std::span<const run::Place> places, run::BatchTensors& tensors) const {
  tensors.clear();
  run::write_segments(places, *this, tensors);
  const bool has_labels = tensors.has("labels");
  const std::int64_t sequence = tensors.shape("input_ids")[1];
  for (const run::Place& place : places) {
    const Window& read = window(place.sample);
    ensure(place.first + read.tokens <= sequence, "text: {} tokens behind {} of {}", read.tokens, place.first,
           sequence);
    const auto own = [&](auto elements) {
      return elements.subspan(static_cast<std::size_t>(place.row * sequence + place.first),
                              static_cast<std::size_t>(read.tokens));
    };
    stream_.copy(read.first, own(tensors.of<std::int32_t>("input_ids")));
    if (!has_labels) continue;
    stream_.copy(read.first + 1, own(tensors.of<std::int32_t>("labels")));
    const std::span<float> weights = own(tensors.of<float>("label_weights"));
    std::ranges::fill(weights.subspan(static_cast<std::size_t>(read.unscored)), place.label_weight);
  }
}

std::string TextSamples::fingerprint() const {
  const std::string tokens = stream_.sum();
  io::ContentSum sum;
  sum.add(std::as_bytes(std::span(tokens)));
  sum.add(std::as_bytes(std::span(windows_)));
  return sum.text();
}

}  // namespace phasor::text
