#include "models/run/score_log.h"

#include <fstream>

#include "io/files/atomic_file.h"

namespace phasor::run {

ScoreLog::ScoreLog(std::string path, std::int64_t steps_done, Measure measure)
    : path_(std::move(path)), measure_(std::move(measure)) {
  std::ifstream file(path_);
  for (std::string line; std::getline(file, line);) {
    const auto parsed = nlohmann::json::parse(line, nullptr, false);
    const auto number = [&](const std::string& key) { return parsed.contains(key) && parsed[key].is_number(); };
    if (!number("step") || !number(measure_.name) || parsed["step"] > steps_done) break;
    lines_ += line + '\n';
    take(parsed["step"], parsed[measure_.name]);
  }
}

void ScoreLog::take(std::int64_t step, double score) {
  last_step_ = step;
  if (best_step_ >= 0 && !measure_.prefers(score, best_score_)) return;
  best_step_ = step;
  best_score_ = score;
}

void ScoreLog::write(std::int64_t step, const Scores& scores) {
  nlohmann::ordered_json line{{"step", step}};
  for (const std::string& name : scores.logged) line[name] = scores.values.at(name);
  lines_ += line.dump() + '\n';
  take(step, line.at(measure_.name).get<double>());
  io::write_file_atomically(path_, lines_);
}

}  // namespace phasor::run
