// model_logits [--KEY VALUE]...: what a model answers, for comparisons with other implementations.
// The keys are those of the configuration; checkpoint.load or model.from gives the weights. Reads one JSON object from
// standard input, {"input_ids": [...], "token_type_ids": [...], "attention_mask": [...]}, each a list of samples of
// model.sequence_length numbers; writes {"start_logits": [...], "end_logits": [...]}, floats to the last bit. Masks are
// ones, then zeros; what stands at padding means nothing.
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/train/predictor.h"
#include "models/bert/stages.h"
#include "models/config/load_config.h"
#include "models/run/first_weights.h"
#include "tests/support/run_parts.h"
#include "tests/support/whole_rows.h"

namespace {

using namespace phasor;
using Samples = std::vector<std::vector<std::int32_t>>;

std::vector<std::int32_t> flat(const nlohmann::json& input, const char* name, std::int64_t sequence) {
  std::vector<std::int32_t> all;
  for (const auto& sample : input.at(name).get<Samples>()) {
    check(std::ssize(sample) == sequence, "logits: a sample of {} has {} numbers, expected {}", name, sample.size(),
          sequence);
    all.insert(all.end(), sample.begin(), sample.end());
  }
  return all;
}

nlohmann::json rows(const std::vector<float>& values, std::size_t first, std::size_t count, std::size_t columns) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = first; i < first + count; ++i) {
    list.push_back(std::vector(values.begin() + static_cast<std::ptrdiff_t>(i * columns),
                               values.begin() + static_cast<std::ptrdiff_t>((i + 1) * columns)));
  }
  return list;
}

void print_logits(const std::map<std::string, std::string>& keys) {
  const run::RunConfig config = run::load_config("", keys);
  const std::int64_t sequence = test::bert_of(config).sequence_length;
  const nlohmann::json input = nlohmann::json::parse(std::cin);
  const auto samples = static_cast<std::int64_t>(input.at("input_ids").size());
  const auto attends = flat(input, "attention_mask", sequence);
  std::vector<std::int64_t> lengths;
  for (auto row = attends.begin(); row != attends.end(); row += sequence) {
    lengths.push_back(std::accumulate(row, row + sequence, std::int64_t{0}));
  }
  const auto ids = flat(input, "input_ids", sequence), types = flat(input, "token_type_ids", sequence);

  Machine machine(memory_store(), 1, 1);
  Predictor predictor(architecture::inference_stages(config.model, samples), {.precision = config.precision}, machine);
  run::load_first_weights(run::settle_defaults(config), predictor.stages(), predictor.state(), io::silent());
  predictor.write_batch("input_ids", 0, 0, std::span<const std::int32_t>(ids));
  predictor.write_batch("token_type_ids", 0, 0, std::span<const std::int32_t>(types));
  predictor.write_batch("segments", 0, 0, std::span<const std::int32_t>(test::whole_rows(lengths)));
  predictor.run();
  std::vector<float> logits(static_cast<std::size_t>(2 * samples * sequence));
  predictor.read_result("logits", 0, 0, logits);
  const auto count = static_cast<std::size_t>(samples), columns = static_cast<std::size_t>(sequence);
  std::cout << nlohmann::json{{"start_logits", rows(logits, 0, count, columns)},
                              {"end_logits", rows(logits, count, count, columns)}}
            << '\n';
}

}  // namespace

int main(int count, char** arguments) try {
  std::map<std::string, std::string> keys;
  for (int i = 1; i + 1 < count; i += 2) keys[std::string(arguments[i]).substr(2)] = arguments[i + 1];
  print_logits(keys);
  return 0;
} catch (const phasor::UserError& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 2;
}
