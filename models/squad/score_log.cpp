#include "models/squad/score_log.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "io/files/atomic_file.h"

namespace phasor::run {

ScoreLog::ScoreLog(std::string path, std::int64_t steps_done) : path_(std::move(path)) {
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) {
    const auto parsed = nlohmann::json::parse(line, nullptr, false);
    const auto number = [&](const char* key) { return parsed.contains(key) && parsed[key].is_number(); };
    if (!number("step") || !number("f1") || parsed["step"] > steps_done) break;
    lines_ += line + '\n';
    take(parsed["step"], parsed["f1"]);
  }
}

void ScoreLog::take(std::int64_t step, double f1) {
  last_step_ = step;
  if (best_step_ >= 0 && f1 <= best_f1_) return;
  best_step_ = step;
  best_f1_ = f1;
}

void ScoreLog::write(std::int64_t step, const SquadScores& scores) {
  const nlohmann::ordered_json line{{"step", step}, {"exact_match", scores.exact_match}, {"f1", scores.f1}};
  lines_ += line.dump() + '\n';
  take(step, scores.f1);
  io::write_file_atomically(path_, lines_);
}

}  // namespace phasor::run
