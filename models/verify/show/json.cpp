#include "models/verify/show/json.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace phasor::run {

namespace {

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

nlohmann::ordered_json to_json(const VerifyResult& result) {
  nlohmann::ordered_json json{{"equal", result.equal()},           {"execution", result.name},
                              {"first_step", result.first_step},   {"steps", result.steps},
                              {"fingerprint", result.fingerprint}, {"others", nlohmann::ordered_json::array()}};
  for (const VerifiedPair& pair : result.pairs) json["others"].push_back(pair_json(pair));
  return json;
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
