#include "models/plan/pass_report.h"

#include <chrono>

#include "engine/program/memory/program_plan.h"
#include "models/config/training_stages.h"

namespace phasor::run {

namespace {

struct Count {
  const char* name;
  std::int64_t LoweringSize::*of;
};
constexpr Count kCounts[] = {{"graphs", &LoweringSize::graphs},
                             {"nodes", &LoweringSize::nodes},
                             {"slots", &LoweringSize::slots},
                             {"steps", &LoweringSize::steps}};

PassRecord plan_memory(const Lowering& lowering) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = Clock::now();
  for (const Program& program : lowering.pipeline.devices) {
    plan_program(program, lowering.execution.threads_per_replica);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
  const LoweringSize size = size_of(lowering);
  return {.name = "plan memory", .before = size, .after = size, .seconds = seconds};
}

}  // namespace

std::vector<PassRecord> run_all_passes(const ResolvedRun& run) {
  Lowering lowering{.optimizer = run.training.optimizer, .execution = run.execution, .stages = training_stages(run)};
  std::vector<PassRecord> records = run_passes(stage_passes(), lowering);
  for (const PassRecord& record : run_passes(training_passes(), lowering)) records.push_back(record);
  records.push_back(plan_memory(lowering));
  return records;
}

std::string to_text(const std::vector<PassRecord>& records) {
  std::string text = fmt::format("{:<18}", "pass");
  for (const auto& [name, of] : kCounts) text += fmt::format(" {:>18}", name);
  text += fmt::format(" {:>10}\n", "seconds");
  for (const PassRecord& record : records) {
    text += fmt::format("{:<18}", record.name);
    for (const auto& [name, of] : kCounts) {
      const std::int64_t before = record.before.*of, after = record.after.*of;
      text +=
          fmt::format(" {:>18}", before == after ? fmt::format("{}", after) : fmt::format("{} -> {}", before, after));
    }
    text += fmt::format(" {:>10.4f}\n", record.seconds);
  }
  return text;
}

nlohmann::ordered_json to_json(const std::vector<PassRecord>& records) {
  nlohmann::ordered_json passes = nlohmann::ordered_json::array();
  for (const PassRecord& record : records) {
    nlohmann::ordered_json pass{{"name", record.name}, {"seconds", record.seconds}};
    for (const auto& [name, of] : kCounts) pass[name] = {{"before", record.before.*of}, {"after", record.after.*of}};
    passes.push_back(std::move(pass));
  }
  return passes;
}

}  // namespace phasor::run
