#include "models/verify/text.h"

#include <cmath>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "io/files/atomic_file.h"
#include "models/verify/growth.h"

namespace phasor::run {

namespace {

// With commas between thousands.
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

std::string steps_text(const VerifyResult& result, std::int64_t steps) {
  if (result.first_step == 0) return plural(steps, "step");
  return fmt::format("steps {} to {}", result.first_step + 1, result.first_step + steps);
}

std::string compared_text(const VerifiedPair& pair) {
  const std::string activations =
      pair.activations > 0 ? fmt::format(", {} of activations and gradients", plural(pair.activations, "tensor")) : "";
  return fmt::format("{} of losses, weights and moments{}", plural(pair.numbers, "number"), activations);
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

std::string relative_text(double relative) {
  return relative == 0 ? "0" : std::isinf(relative) ? "all" : fmt::format("{:.1e}", relative);
}

// The first steps, and the last one.
std::vector<std::size_t> shown_steps(std::size_t steps) {
  constexpr std::size_t kMostShown = 6;
  std::vector<std::size_t> shown;
  for (std::size_t i = 0; i < std::min(steps, kMostShown); ++i) shown.push_back(i);
  if (steps > kMostShown) shown.back() = steps - 1;
  return shown;
}

std::string growth_text(const DifferenceGrowth& growth) {
  std::size_t width = 0;
  for (const std::string& layer : growth.layers) width = std::max(width, layer.size());
  std::string text = fmt::format("  the difference of a layer's state over its norm:\n  {:<{}}", "", width);
  const std::vector<std::size_t> shown = shown_steps(growth.steps.size());
  for (std::size_t i : shown) text += fmt::format("  {:>9}", fmt::format("step {}", growth.steps[i]));
  text += '\n';
  for (std::size_t layer = 0; layer < growth.layers.size(); ++layer) {
    text += fmt::format("  {:<{}}", growth.layers[layer], width);
    for (std::size_t i : shown) text += fmt::format("  {:>9}", relative_text(growth.relative[layer][i]));
    text += '\n';
  }
  return text;
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

nlohmann::ordered_json numbers_json(const Numbers& numbers) {
  const auto bits = [&](std::uint64_t x) { return fmt::format("{:0{}x}", x, numbers.width / 4); };
  return {{"values", {numbers.a, numbers.b}},
          {"bits", {bits(numbers.a_bits), bits(numbers.b_bits)}},
          {"ulps", numbers.ulps}};
}

nlohmann::ordered_json difference_json(const VerifiedDifference& difference) {
  const VerifiedPlace& place = difference.place;
  const auto extents = place.shape.extents();
  nlohmann::ordered_json json{{"step", place.step}};
  if (!place.phase.empty()) json["phase"] = place.phase;
  if (place.micro_batch >= 0) json["micro_batch"] = place.micro_batch;
  json.update({{"tensor", place.tensor},
               {"shape", std::vector<std::int64_t>(extents.begin(), extents.end())},
               {"element", place.element},
               {"different", difference.different}});
  if (difference.facts.empty()) {
    json.update(numbers_json(difference.numbers));
  } else {
    json["facts"] = difference.facts;
  }
  return json;
}

nlohmann::ordered_json pair_json(const VerifiedPair& pair) {
  nlohmann::ordered_json json{{"first", pair.beside}, {"execution", pair.name},  {"equal", pair.equal()},
                              {"steps", pair.steps},  {"numbers", pair.numbers}, {"activations", pair.activations}};
  if (pair.equal()) return json;
  json["first_difference"] = difference_json(*pair.first);
  json["loss_differs"] = pair.loss_differs;
  json["different_tensors"] = pair.different_tensors;
  json["growth"] = {{"steps", pair.growth.steps}, {"layers", pair.growth.layers}, {"relative", pair.growth.relative}};
  if (!pair.explained.empty()) json["explained"] = pair.explained;
  if (pair.rounding) {
    json["within_rounding"] = pair.rounding->within;
    json["part_of_bound"] = pair.rounding->largest;
    if (pair.rounding->beyond) json["beyond_rounding"] = difference_json(*pair.rounding->beyond);
  } else if (pair.explained.empty()) {
    json["within_rounding"] = false;
  }
  return json;
}

}  // namespace

std::string element_text(const Shape& shape, std::int64_t element) {
  std::vector<std::int64_t> place(static_cast<std::size_t>(shape.rank()));
  for (int d = shape.rank() - 1; d >= 0; --d) {
    place[static_cast<std::size_t>(d)] = element % shape[d];
    element /= shape[d];
  }
  return fmt::format("[{}]", fmt::join(place, ", "));
}

std::string to_text(const VerifyResult& result) {
  std::string text;
  for (const VerifiedPair& pair : result.pairs) text += pair_text(result, pair);
  return text;
}

nlohmann::ordered_json to_json(const VerifyResult& result) {
  nlohmann::ordered_json json{{"equal", result.equal()},           {"execution", result.name},
                              {"first_step", result.first_step},   {"steps", result.steps},
                              {"fingerprint", result.fingerprint}, {"others", nlohmann::ordered_json::array()}};
  for (const VerifiedPair& pair : result.pairs) json["others"].push_back(pair_json(pair));
  return json;
}

void write_html(const VerifyResult& result, const std::string& path) {
  io::Page page{
      .title = "Executions, bit by bit",
      .subtitle = result.name,
      .tiles = {{"executions", std::to_string(result.pairs.size() + 1), result.equal() ? "equal" : "different"},
                {"optimizer steps", std::to_string(result.steps), ""},
                {"state", count_text(result.numbers), "numbers: weights and moments"}},
      .figures = {},
      .tables = {},
      .preformatted_title = "What was found",
      .preformatted = to_text(result)};
  for (const VerifiedPair& pair : result.pairs) {
    if (!pair.growth.steps.empty()) page.figures.push_back(growth_figure(pair));
  }
  io::write_file_atomically(path, io::to_html(page));
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

nlohmann::ordered_json to_json(const LogComparison& c) {
  nlohmann::ordered_json json{{"equal", c.equal()},
                              {"losses", c.losses},
                              {"fingerprints", c.fingerprints},
                              {"last_same_state", c.last_same_state}};
  if (!c.last_fingerprint.empty()) json["fingerprint"] = c.last_fingerprint;
  if (c.first) json["first_difference"] = difference_json(*c.first);
  return json;
}

}  // namespace phasor::run
