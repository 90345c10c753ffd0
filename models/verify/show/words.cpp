#include "models/verify/show/words.h"

#include <fmt/ranges.h>
#include <vector>

namespace phasor::run {

std::string count_text(std::int64_t count) {
  std::string text = std::to_string(count);
  for (auto place = std::ssize(text) - 3; place > 0; place -= 3) text.insert(static_cast<std::size_t>(place), ",");
  return text;
}

std::string plural(std::int64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count_text(count), count == 1 ? one : many);
}

std::string plural(std::int64_t count, const std::string& one) {
  return plural(count, one.c_str(), (one + "s").c_str());
}

std::string element_text(const Shape& shape, std::int64_t element) {
  std::vector<std::int64_t> place(static_cast<std::size_t>(shape.rank()));
  for (int d = shape.rank() - 1; d >= 0; --d) {
    place[static_cast<std::size_t>(d)] = element % shape[d];
    element /= shape[d];
  }
  return fmt::format("[{}]", fmt::join(place, ", "));
}

std::string place_text(const VerifiedDifference& difference) {
  const VerifiedPlace& place = difference.place;
  const std::string phase = place.phase.empty() ? "" : fmt::format(", phase '{}'", place.phase);
  const std::string micro_batch = place.micro_batch >= 0 ? fmt::format(", micro-batch {}", place.micro_batch) : "";
  return fmt::format("step {}{}{}", place.step, phase, micro_batch);
}

std::string tensor_text(const VerifiedDifference& difference) {
  const VerifiedPlace& place = difference.place;
  if (!difference.facts.empty()) return fmt::format("{}: {}", place.tensor, difference.facts);
  if (difference.elements == 1) return fmt::format("{}: {}", place.tensor, to_string(difference.numbers));
  return fmt::format("{} {}, element {}: {}; {} of {} differ", place.tensor, to_string(place.shape),
                     element_text(place.shape, place.element), to_string(difference.numbers),
                     count_text(difference.different), count_text(difference.elements));
}

}  // namespace phasor::run
