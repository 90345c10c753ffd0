// A SQuAD file and a vocabulary of single letters, small enough to train on in a test.
#pragma once

#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "models/config/run_config.h"
#include "tests/support/run_parts.h"

namespace phasor::test {

// Writes data.json and vocab.txt to the folder: `questions` questions "?" whose answer is the letter behind "a".
inline void write_letter_files(const std::string& folder, int questions) {
  std::ofstream vocabulary(folder + "/vocab.txt");
  vocabulary << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n?\n";
  for (char letter = 'a'; letter <= 'z'; ++letter) vocabulary << letter << '\n';
  nlohmann::json paragraphs = nlohmann::json::array();
  for (int i = 0; i < questions; ++i) {
    const char answer = static_cast<char>('b' + i % 20);
    const std::string context = fmt::format("{} a {} z", i % 3 == 0 ? "c d" : "e", answer);
    const nlohmann::json gold = {{"text", std::string(1, answer)}, {"answer_start", context.find('a') + 2}};
    paragraphs.push_back(
        {{"context", context},
         {"qas", {{{"id", std::to_string(i)}, {"question", "?"}, {"answers", nlohmann::json::array({gold})}}}}});
  }
  std::ofstream(folder + "/data.json") << nlohmann::json{{"version", "1.1"},
                                                         {"data", {{{"title", "t"}, {"paragraphs", paragraphs}}}}};
}

// A run on these files: dropout on, several micro-batches a step, an epoch that does not end with a step.
inline run::RunConfig letter_run(const std::string& folder) {
  run::RunConfig config;
  config.model = bert::Config{.layers = 2,
                              .hidden_size = 16,
                              .heads = 2,
                              .intermediate_size = 24,
                              .sequence_length = 12,
                              .max_positions = 12,
                              .vocab_size = 31};
  config.data.train = config.data.dev = folder + "/data.json";
  test::squad_of(config).vocab = folder + "/vocab.txt";
  config.data.cache = "none";
  test::squad_of(config).max_query_length = 2;
  test::squad_of(config).document_stride = 1;
  config.training.steps = 8;
  config.training.global_batch_size = 16;
  config.training.learning_rate = 1e-3f;
  config.execution.micro_batch_size = 2;
  config.execution.threads_per_replica = 1;
  return config;
}

}  // namespace phasor::test
