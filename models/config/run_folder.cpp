#include "models/config/run_folder.h"

#include <filesystem>
#include <vector>

#include "engine/base/error.h"
#include "io/files/atomic_file.h"
#include "io/files/text_file.h"
#include "models/checkpoint/files.h"

namespace phasor::run {

namespace {

namespace fs = std::filesystem;

constexpr const char* kConfig = "config.yml";
constexpr const char* kLock = ".lock";
// Beside checkpoints, and event files, whose names go on.
constexpr const char* kFiles[] = {"metrics.jsonl", "evaluations.jsonl", "run.json",    "trace.json",
                                  "report.html",   "arena.svg",         "figures.json"};
constexpr const char* kEventFiles = "events.out.tfevents.";

// Makes the folder; returns whether it is new.
bool make_folder(const std::string& what, const fs::path& path) {
  std::error_code error;
  const bool made = fs::create_directories(path, error);
  check(!error, "{} '{}' cannot be made: {}", what, path.string(), error.message());
  return made;
}

}  // namespace

std::string checkpoint_path(const CheckpointConfig& checkpoint, const std::string& output) {
  return checkpoint.save.empty() ? output + "/checkpoint.h5" : checkpoint.save;
}

bool is_same_place(const std::string& a, const std::string& b) {
  std::error_code error;
  return fs::equivalent(a, b, error) && !error;
}

RunFolder::RunFolder(std::string path)
    : path_(std::move(path)),
      is_new_(make_folder("output folder", path_)),
      folder_lock_(std::make_unique<io::LockFile>(fs::path(path_) / kLock, fmt::format("output folder '{}'", path_))) {}

RunFolder::~RunFolder() {
  folder_lock_.reset();
  std::error_code ignored;
  if (is_new_ && fs::is_empty(path_, ignored)) fs::remove(path_, ignored);
}

std::optional<std::string> RunFolder::config() const {
  const fs::path file = fs::path(path_) / kConfig;
  if (!fs::exists(file)) return std::nullopt;
  return io::read_file("config", file);
}

void RunFolder::claim_checkpoint(const std::string& checkpoint) {
  checkpoint_ = checkpoint;
  const fs::path folder = fs::absolute(checkpoint).lexically_normal().parent_path();
  if (is_same_place(folder, path_)) return;
  make_folder("checkpoint.save: folder", folder);
  checkpoint_lock_ =
      std::make_unique<io::LockFile>(checkpoint + kLock, fmt::format("checkpoint.save '{}'", checkpoint));
}

void RunFolder::begin(const std::string& config_yaml) {
  if (starts_over_) remove_run();
  for (const char* name : kFiles) io::remove_abandoned(fs::path(path_) / name);
  io::remove_abandoned(fs::path(path_) / kConfig);
  io::write_file_atomically(fs::path(path_) / kConfig, config_yaml);
}

void RunFolder::remove_run() const {
  const CheckpointFiles checkpoints(checkpoint_, 0);
  for (const std::int64_t step : checkpoints.steps()) fs::remove(checkpoints.of_step(step));
  for (const std::string& file : {checkpoints.path(), checkpoints.best()}) fs::remove(file);
  for (const char* name : kFiles) fs::remove(fs::path(path_) / name);
  std::vector<fs::path> events;
  for (const auto& entry : fs::directory_iterator(path_)) {
    if (entry.path().filename().string().starts_with(kEventFiles)) events.push_back(entry.path());
  }
  for (const fs::path& file : events) fs::remove(file);
}

}  // namespace phasor::run
