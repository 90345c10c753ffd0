#include "models/tasks/run_facts.h"

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "io/atomic_file.h"
#include "io/text_file.h"

namespace phasor::tasks {

namespace {

using FactsJson = nlohmann::ordered_json;

FactsJson phases_to_json(const MemoryProfile& memory) {
  FactsJson phases = FactsJson::array();
  for (const PhaseProfile& phase : memory.phases) {
    phases.push_back({{"name", phase.name},
                      {"instances", phase.instances},
                      {"first_step", phase.first_step},
                      {"end_step", phase.end_step},
                      {"loaded_bytes", phase.loaded_bytes},
                      {"stored_bytes", phase.stored_bytes}});
  }
  return phases;
}

// Each the first step, then the bytes of every content.
FactsJson samples_to_json(const MemoryProfile& memory) {
  FactsJson samples = FactsJson::array();
  for (const MemorySample& sample : memory.samples) {
    FactsJson row{sample.first};
    for (const std::int64_t bytes : sample.bytes) row.push_back(bytes);
    samples.push_back(row);
  }
  return samples;
}

MemoryProfile profile_from_json(const FactsJson& root) {
  MemoryProfile memory{.steps = root.at("steps"), .phases = {}, .samples = {}};
  for (const FactsJson& phase : root.at("phases")) {
    memory.phases.push_back({.name = phase.at("name"),
                             .instances = phase.at("instances"),
                             .first_step = phase.at("first_step"),
                             .end_step = phase.at("end_step"),
                             .loaded_bytes = phase.at("loaded_bytes"),
                             .stored_bytes = phase.at("stored_bytes")});
  }
  for (const FactsJson& row : root.at("alive")) {
    MemorySample sample{.first = row.at(0), .bytes = {}};
    for (std::size_t content = 0; content < kContents; ++content) sample.bytes[content] = row.at(content + 1);
    memory.samples.push_back(sample);
  }
  return memory;
}

}  // namespace

void write_run_facts(const std::string& path, const RunFacts& facts) {
  FactsJson machine = FactsJson::object();
  for (const auto& [name, value] : facts.machine) machine[name] = value;
  const FactsJson root{{"summary", facts.summary},
                       {"machine", machine},
                       {"samples_per_step", facts.samples_per_step},
                       {"replicas", facts.replicas},
                       {"device_peak_bytes", facts.device_peak_bytes},
                       {"device_lower_bound_bytes", facts.device_lower_bound_bytes},
                       {"device_budget_bytes", facts.device_budget_bytes},
                       {"memory",
                        {{"steps", facts.memory.steps},
                         {"phases", phases_to_json(facts.memory)},
                         {"contents", kContentNames},
                         {"alive", samples_to_json(facts.memory)}}}};
  io::write_file_atomically(path, root.dump() + '\n');
}

RunFacts read_run_facts(const std::string& path) {
  const FactsJson root = FactsJson::parse(io::read_file("report", path), nullptr, false);
  RunFacts facts;
  try {
    facts = {.summary = root.at("summary"),
             .machine = {},
             .samples_per_step = root.at("samples_per_step"),
             .replicas = root.at("replicas"),
             .device_peak_bytes = root.at("device_peak_bytes"),
             .device_lower_bound_bytes = root.at("device_lower_bound_bytes"),
             .device_budget_bytes = root.at("device_budget_bytes"),
             .memory = profile_from_json(root.at("memory"))};
    for (const auto& [name, value] : root.at("machine").items()) facts.machine.emplace_back(name, value);
  } catch (const nlohmann::json::exception&) {
    check(false, "report: '{}' lacks what a run writes into its run.json. Was it changed?", path);
  }
  return facts;
}

}  // namespace phasor::tasks
