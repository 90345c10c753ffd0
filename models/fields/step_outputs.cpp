#include "models/fields/step_outputs.h"

#include <charconv>

namespace phasor::run {

std::optional<StepOutputs> parse_outputs(const std::string& text) {
  using Kind = StepOutputs::Kind;
  if (text == "all") return StepOutputs{Kind::all};
  if (text == "final") return StepOutputs{Kind::final};
  if (text == "sum") return StepOutputs{Kind::sum};
  constexpr std::string_view kEvery = "every ";
  if (!text.starts_with(kEvery)) return std::nullopt;
  StepOutputs outputs{Kind::every};
  const char* end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data() + kEvery.size(), end, outputs.every);
  if (error != std::errc{} || last != end || outputs.every < 1) return std::nullopt;
  return outputs;
}

}  // namespace phasor::run
