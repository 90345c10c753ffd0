// A configuration as YAML: read, judged, written and read again.
#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "models/config/config_file.h"
#include "tests/fuzz/fuzz_target.h"

namespace phasor::fuzz {

std::vector<std::string> seeds() {
  std::vector<std::string> seeds;
  for (const auto& [name, yaml] : run::presets()) seeds.push_back(yaml);
  const run::RunConfig defaults;
  seeds.push_back(run::to_yaml(defaults));
  seeds.push_back("execution.data_parallel: 65536\nexecution:\n  micro_batch_size: 65536\n");
  seeds.push_back("model: &a {layers: 2}\ntraining: &b\n  optimizer: *a\n");
  seeds.push_back("model: &a\n  model: *a\n");
  // Every line doubles what there is to look at.
  std::string doubled = "model: &a0 {}\n";
  for (int i = 0; i < 40; ++i) doubled += fmt::format("x{}: &a{} {{l: *a{}, r: *a{}}}\n", i, i + 1, i, i);
  seeds.push_back(doubled);
  seeds.push_back("model: " + std::string(kMostInputBytes - 9, '['));
  std::string deep;
  for (int i = 0; i < 400; ++i) deep += "{a: ";
  seeds.push_back(deep + std::string(400, '}'));
  seeds.push_back(std::string(kMostInputBytes / 2, 'a') + ": 1\n");
  return seeds;
}

std::vector<std::string> words() {
  std::vector<std::string> words = {"model: ",    "training: ",  "execution: ",
                                    "&a ",        "*a",          "<<: ",
                                    "? ",         "[",           "]",
                                    "{",          "}",           ": ",
                                    "- ",         "\n  ",        "~",
                                    "!!str ",     "!!binary ",   "|\n",
                                    ">-\n",       "#",           "'",
                                    "\"",         "---\n",       "...\n",
                                    "\t",         "\xff",        "nan",
                                    "-inf",       "1e999",       "0x10",
                                    "-0",         "%YAML 1.2\n", "9223372036854775807",
                                    "2147483647", "65536",       "TiB",
                                    "MiB"};
  for (const run::FieldHelp& field : run::field_help())
    words.push_back(field.key.substr(field.key.rfind('.') + 1) + ": ");
  return words;
}

void read_input(const std::string& path) {
  run::RunConfig config;
  run::apply_yaml(config, io::read_file("config", path), "'input'");
  const std::string yaml = run::to_yaml(config);
  run::RunConfig again;
  run::apply_yaml(again, yaml, "'written'");
  ensure(run::to_yaml(again) == yaml, "fuzz: a configuration changes when it is written and read");
  run::validate(config);
}

}  // namespace phasor::fuzz
