#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <yaml-cpp/yaml.h>

#include "models/checkpoint/fingerprint.h"
#include "models/checkpoint/summary.h"
#include "models/cli/verbs.h"
#include "models/config/load_config.h"

namespace phasor::cli {

namespace {

struct InspectOptions {
  std::string file, other;
  bool json = false;
};

nlohmann::ordered_json position_facts(const run::RunPosition& position) {
  return {{"step", position.step},
          {"epoch", position.epoch()},
          {"samples", position.samples},
          {"data_samples", position.data_samples},
          {"data", position.data},
          {"seed", position.seed},
          {"global_batch_size", position.global_batch_size},
          {"loss_scale", position.loss_scale},
          {"program", position.program}};
}

// The sections of the configuration, a line each.
void print_sections(const std::string& yaml) {
  try {
    for (const auto& section : YAML::Load(yaml)) {
      YAML::Emitter line;
      line << YAML::Flow << section.second;
      std::string text = line.c_str();
      std::erase(text, '\n');
      fmt::print("{:<18} {}\n", section.first.as<std::string>(), text);
    }
  } catch (const YAML::Exception&) {  // of another program: not ours to judge
    fmt::print("config             {} bytes that are not YAML\n", yaml.size());
  }
}

// A run's folder stands for its checkpoint.
std::string checkpoint_of(const std::string& path) {
  return std::filesystem::is_directory(path) ? run::load_config(path, {}).checkpoint.load : path;
}

int print_checkpoint(const InspectOptions& options) {
  const run::RunPosition position = run::read_position(options.file);
  const std::vector<run::TensorSummary> tensors = run::summarise_tensors(options.file);
  nlohmann::ordered_json facts = position_facts(position);
  facts["fingerprint"] = run::fingerprint_of_checkpoint(options.file);
  fmt::print("{}\n", options.file);
  for (const auto& [name, value] : facts.items()) {
    fmt::print("{:<18} {}\n", name, value.is_string() ? value.get<std::string>() : value.dump());
  }
  print_sections(position.config);
  std::int64_t elements = 0;
  for (const run::TensorSummary& tensor : tensors) {
    elements += tensor.shape.elements();
    fmt::print("{:<80} {:<14} norm {:<12.6g} largest {:<12.6g}{}\n", tensor.name, to_string(tensor.shape), tensor.norm,
               tensor.largest, tensor.not_finite > 0 ? fmt::format(" {} not finite", tensor.not_finite) : "");
  }
  fmt::print("{} tensors, {} elements\n", tensors.size(), elements);
  if (!options.json) return 0;
  nlohmann::ordered_json all = facts;
  all["config"] = position.config;
  all["tensors"] = nlohmann::ordered_json::array();
  for (const run::TensorSummary& tensor : tensors) {
    const std::span<const std::int64_t> extents = tensor.shape.extents();
    all["tensors"].push_back({{"name", tensor.name},
                              {"shape", std::vector<std::int64_t>(extents.begin(), extents.end())},
                              {"norm", tensor.norm},
                              {"largest", tensor.largest},
                              {"not_finite", tensor.not_finite}});
  }
  fmt::print("{}\n", all.dump());
  return 0;
}

int print_comparison(const InspectOptions& options) {
  const std::vector<run::Difference> differences = run::compare_checkpoints(options.file, options.other);
  for (const run::Difference& difference : differences) fmt::print("{}: {}\n", difference.name, difference.facts);
  fmt::print("{}\n", differences.empty() ? "equal to the bit" : fmt::format("{} differences", differences.size()));
  if (options.json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const run::Difference& difference : differences) {
      nlohmann::ordered_json item{{"name", difference.name}, {"facts", difference.facts}};
      if (difference.largest) item["largest"] = *difference.largest;
      list.push_back(item);
    }
    fmt::print("{}\n", nlohmann::ordered_json{{"equal", differences.empty()}, {"differences", list}}.dump());
  }
  return differences.empty() ? 0 : kDifferent;
}

}  // namespace

Verb inspect_verb(CLI::App& app) {
  const auto options = std::make_shared<InspectOptions>();
  CLI::App* command = app.add_subcommand(
      "inspect", "Print a checkpoint, or compare two: exit code 0 if training would go on alike, 1 if they differ");
  command->add_option("file", options->file, "A checkpoint, or the output folder of a run")->required();
  command->add_option("--diff", options->other, "Another one to compare it with");
  command->add_flag("--json", options->json, "End with one line of JSON");
  return {command, [options] {
            for (std::string* path : {&options->file, &options->other}) *path = checkpoint_of(*path);
            return options->other.empty() ? print_checkpoint(*options) : print_comparison(*options);
          }};
}

}  // namespace phasor::cli
