// An ipu_config.json: read, asked what follows from it, written and read again.
#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "models/ipu_config/run_settings.h"
#include "tests/fuzz/fuzz_target.h"

namespace phasor::fuzz {

std::vector<std::string> seeds() {
  return {ipu::IpuConfig().to_json(),
          R"({"layers_per_ipu": [3, -1, 3], "ipus_per_replica": 3, "matmul_proportion": [0.1, 0.2, 0.3], "seed": 42})",
          R"({"serialized_embedding_splits_per_ipu": [1, 2, 0], "ipus_per_replica": 3, "optimum_version": "1.0.0"})",
          R"({"replication_factor": 2147483647, "gradient_accumulation_steps": 2147483647, "device_iterations": 99})",
          R"({"parallelize_kwargs": {"a": [1, {"b": null}]}, "output_mode": "all", "executable_cache_dir": "x"})",
          fmt::format("{{\"parallelize_kwargs\": {}", std::string(kMostInputBytes / 2, '['))};
}

std::vector<std::string> words() {
  std::vector<std::string> words{"[", "]", "{", "}", ",", ":", "null", "true", "-1", "1e999", "0.5", "[[", "\"a\":"};
  for (const char* number : {"18446744073709551615", "9223372036854775808", "2147483648", "-9223372036854775808"}) {
    words.emplace_back(number);
  }
  for (const ipu::Field& field : ipu::fields()) words.push_back(fmt::format("\"{}\": ", field.name));
  return words;
}

void read_input(const std::string& path) {
  const ipu::IpuConfig config = ipu::IpuConfig::parse(io::read_file("ipu_config", path));
  ensure(ipu::IpuConfig::parse(config.to_json()).to_json() == config.to_json(), "fuzz: written, it reads otherwise");
  for (const ipu::Use use : {ipu::Use::training, ipu::Use::inference}) {
    config.batch_size_factor(use);
    for (const auto& stack : {std::optional<ipu::LayerStack>(), std::optional(ipu::LayerStack{2, 7, 1})}) {
      try {
        to_settings(config, {.micro_batch_size = 2, .stack = stack}, use);
        config.layer_ipus(7, use);
      } catch (const UserError&) {  // what it asks for is not to be had
      }
    }
  }
}

}  // namespace phasor::fuzz
