// model_logits [--KEY VALUE]...: what a model answers, for comparisons with other implementations.
// The keys are those of the configuration; checkpoint.load or model.from gives the weights. Reads one JSON object from
// standard input, {"input_ids": [...], "token_type_ids": [...], "attention_mask": [...]}, each a list of samples of
// model.sequence_length numbers; writes floats to the last bit: of a BERT {"start_logits": [...], "end_logits": [...]},
// of a GPT-2, which has no token types, {"logits": [...]}, lists of samples of tokens. Masks are ones, then zeros; what
// stands at padding means nothing.
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "engine/train/predictor.h"
#include "models/architecture/model_config.h"
#include "models/config/load_config.h"
#include "models/run/first_weights.h"
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

// A model with its weights and the tokens of the input.
struct Question {
  Question(const std::map<std::string, std::string>& keys, const nlohmann::json& input)
      : config(run::load_config("", keys)),
        sequence(architecture::row_tokens(config.model)),
        samples(static_cast<std::int64_t>(input.at("input_ids").size())),
        predictor(architecture::inference_stages(config.model, samples), {.precision = config.precision}, machine) {
    run::load_first_weights(run::settle_defaults(config), predictor.stages(), predictor.state(), io::silent());
    std::vector<std::int64_t> lengths;
    const auto attends = flat(input, "attention_mask", sequence);
    for (auto row = attends.begin(); row != attends.end(); row += sequence) {
      lengths.push_back(std::accumulate(row, row + sequence, std::int64_t{0}));
    }
    write("input_ids", flat(input, "input_ids", sequence));
    write("segments", test::whole_rows(lengths));
  }

  template <class T>
  void write(const char* name, const std::vector<T>& values) {
    predictor.write_batch(name, 0, 0, std::span<const T>(values));
  }
  std::vector<float> read(const char* name, std::int64_t of_a_token) {
    std::vector<float> values(static_cast<std::size_t>(of_a_token * samples * sequence));
    predictor.read_result(name, 0, 0, values);
    return values;
  }

  run::RunConfig config;
  std::int64_t sequence, samples;
  Machine machine{memory_store(), 1, 1};
  Predictor predictor;
};

nlohmann::json bert_logits(Question& question, const nlohmann::json& input) {
  question.write("token_type_ids", flat(input, "token_type_ids", question.sequence));
  question.predictor.run();
  const std::vector<float> logits = question.read("logits", 2);
  const auto count = static_cast<std::size_t>(question.samples), columns = static_cast<std::size_t>(question.sequence);
  return {{"start_logits", rows(logits, 0, count, columns)}, {"end_logits", rows(logits, count, count, columns)}};
}

// The model tells the logit of a label only, so every token of the vocabulary is the label of all tokens once.
nlohmann::json gpt2_logits(Question& question, std::int64_t vocabulary) {
  const auto tokens = static_cast<std::size_t>(question.samples * question.sequence);
  question.write("label_weights", std::vector<float>(tokens, 1));
  std::vector<std::vector<float>> logits(tokens, std::vector<float>(static_cast<std::size_t>(vocabulary)));
  for (std::int32_t label = 0; label < vocabulary; ++label) {
    question.write("labels", std::vector<std::int32_t>(tokens, label));
    question.predictor.run();
    const std::vector<float> sums = question.read("sums", 3);
    for (std::size_t token = 0; token < tokens; ++token) logits[token][label] = sums[3 * token + 2];
  }
  nlohmann::json samples = nlohmann::json::array();
  for (auto first = logits.begin(); first != logits.end(); first += question.sequence) {
    samples.push_back(std::vector(first, first + question.sequence));
  }
  return {{"logits", samples}};
}

void print_logits(const std::map<std::string, std::string>& keys) {
  const nlohmann::json input = nlohmann::json::parse(std::cin);
  Question question(keys, input);
  const auto* gpt2 = std::get_if<gpt2::Config>(&question.config.model);
  std::cout << (gpt2 ? gpt2_logits(question, gpt2->vocab_size) : bert_logits(question, input)) << '\n';
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
