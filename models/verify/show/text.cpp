#include "models/verify/show/text.h"

#include <algorithm>
#include <fmt/format.h>
#include <span>

#include "models/verify/compare/growth.h"
#include "models/verify/show/words.h"

namespace phasor::run {

namespace {

std::string steps_text(const VerifyResult& result, std::int64_t steps) {
  if (result.first_step == 0) return plural(steps, "step");
  return fmt::format("steps {} to {}", result.first_step + 1, result.first_step + steps);
}

std::string compared_text(const VerifiedPair& pair) {
  const std::string activations =
      pair.activations > 0 ? fmt::format(", {} of activations and gradients", plural(pair.activations, "tensor")) : "";
  return fmt::format("{} of losses, weights and moments{}", plural(pair.numbers, "number"), activations);
}

std::string also_text(const VerifiedPair& pair, std::int64_t tensors) {
  constexpr std::size_t kMostShown = 4;
  std::string text;
  for (const VerifiedDifference& other : std::span(pair.others).first(std::min(kMostShown, pair.others.size()))) {
    text += fmt::format("  then {}: {}\n", place_text(other), tensor_text(other));
  }
  return text + fmt::format("  in that step the loss {}, and {} of {} weights and moments differ\n",
                            pair.loss_differs ? "differs" : "is the same", count_text(pair.different_tensors),
                            count_text(tensors * 3));
}

std::string rounding_text(const VerifiedPair& pair) {
  if (pair.explained.empty() && pair.growth.steps.empty()) return "";
  if (pair.explained.empty()) return "  no key that differs may change a bit: rounding explains nothing of it\n";
  if (!pair.rounding) return fmt::format("  {}: there is no bound for that\n", pair.explained);
  const RoundingVerdict& verdict = *pair.rounding;
  if (verdict.within) {
    return fmt::format(
        "  {}; the difference is within what rounding explains: at most {:.2g} of its bound, of {} in step {}\n",
        pair.explained, verdict.largest, verdict.at, verdict.at_step);
  }
  return fmt::format("  {}, but the difference is beyond what rounding explains, {:.3g} times its bound:\n  {}: {}\n",
                     pair.explained, verdict.largest, place_text(*verdict.beyond), tensor_text(*verdict.beyond));
}

std::string pair_text(const VerifyResult& result, const VerifiedPair& pair) {
  if (pair.equal()) {
    return fmt::format("equal to the bit: {} and {}, {}: {}; state {}\n", pair.beside, pair.name,
                       steps_text(result, pair.steps), compared_text(pair), result.fingerprint);
  }
  return fmt::format("different: {} and {} part in {}\n  {}\n{}{}{}", pair.beside, pair.name, place_text(*pair.first),
                     tensor_text(*pair.first), also_text(pair, result.tensors), rounding_text(pair),
                     growth_text(pair.growth));
}

}  // namespace

std::string to_text(const VerifyResult& result) {
  std::string text;
  for (const VerifiedPair& pair : result.pairs) text += pair_text(result, pair);
  return text;
}

std::string to_text(const LogComparison& c) {
  const std::string states =
      c.fingerprints > 0 ? fmt::format("{} of the state, the last of step {}: {}",
                                       plural(c.fingerprints, "fingerprint"), c.last_same_state, c.last_fingerprint)
                         : "no fingerprints of the state, which training.fingerprint writes";
  if (c.equal())
    return fmt::format("equal: '{}' and '{}', {} and {}\n", c.a, c.b, plural(c.losses, "loss", "losses"), states);
  return fmt::format("different: '{}' and '{}' part in {}\n  {}\n  before that they have the same {} and {}\n", c.a,
                     c.b, place_text(*c.first), tensor_text(*c.first), plural(c.losses, "loss", "losses"), states);
}

}  // namespace phasor::run
