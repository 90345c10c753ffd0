#include "models/report/run_facts.h"

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "io/files/atomic_file.h"
#include "io/files/text_file.h"
#include "io/json/json_number.h"

namespace phasor::run {

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

// The file is not what a run wrote. Caught where its name is known.
struct WrongFacts {};

void expect(bool condition) {
  if (!condition) throw WrongFacts{};
}

template <class Number = std::int64_t>
Number count_of(const FactsJson& value) {
  const auto count = io::whole_number<Number>(value);
  expect(count.has_value());
  return *count;
}

MemoryProfile profile_from_json(const FactsJson& root) {
  MemoryProfile memory{.steps = count_of<int>(root.at("steps")), .phases = {}, .samples = {}};
  expect(root.at("phases").is_array() && root.at("alive").is_array() && !root.at("alive").empty());
  for (const FactsJson& phase : root.at("phases")) {
    memory.phases.push_back({.name = phase.at("name"),
                             .instances = count_of<int>(phase.at("instances")),
                             .first_step = count_of<int>(phase.at("first_step")),
                             .end_step = count_of<int>(phase.at("end_step")),
                             .loaded_bytes = count_of(phase.at("loaded_bytes")),
                             .stored_bytes = count_of(phase.at("stored_bytes"))});
    const PhaseProfile& last = memory.phases.back();
    expect(last.first_step <= last.end_step && last.end_step <= memory.steps);
  }
  for (const FactsJson& row : root.at("alive")) {
    MemorySample sample{.first = count_of<int>(row.at(0)), .bytes = {}};
    expect(sample.first < memory.steps && (memory.samples.empty() || memory.samples.back().first < sample.first));
    for (std::size_t content = 0; content < kContents; ++content) sample.bytes[content] = count_of(row.at(content + 1));
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
  constexpr const char* kRefusal = "report: '{}' lacks what a run writes into its run.json. Was it changed?";
  RunFacts facts;
  try {
    facts = {.summary = root.at("summary"),
             .machine = {},
             .samples_per_step = count_of(root.at("samples_per_step")),
             .replicas = count_of<int>(root.at("replicas")),
             .device_peak_bytes = count_of(root.at("device_peak_bytes")),
             .device_lower_bound_bytes = count_of(root.at("device_lower_bound_bytes")),
             .device_budget_bytes = count_of(root.at("device_budget_bytes")),
             .memory = profile_from_json(root.at("memory"))};
    for (const auto& [name, value] : root.at("machine").items()) facts.machine.emplace_back(name, value);
  } catch (const nlohmann::json::exception&) {
    check(false, kRefusal, path);
  } catch (const WrongFacts&) {
    check(false, kRefusal, path);
  }
  return facts;
}

}  // namespace phasor::run
