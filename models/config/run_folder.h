// The output folder of a run: one run's, and one process's at a time. io/README.md lists what stands in it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "io/files/lock_file.h"
#include "models/config/run_config.h"

namespace phasor::run {

// Where a run saves: checkpoint.save, or checkpoint.h5 in the output folder.
std::string checkpoint_path(const CheckpointConfig& checkpoint, const std::string& output);

// Whether both are there and are the same file or folder.
bool is_same_place(const std::string& a, const std::string& b);

class RunFolder {
 public:
  // Makes the folder where it is missing, and claims it while the object lives. A UserError where another process
  // trains there, or the file system refuses. A folder that was made here and stays empty goes with the object.
  explicit RunFolder(std::string path);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::string& path() const { return path_; }

  // The text of config.yml; nothing where no run has begun here.
  std::optional<std::string> config() const;

  // That begin() removes what the run before has left, checkpoints included.
  void start_over() { starts_over_ = true; }

  // Says where the run saves. Where that is elsewhere, its folder is made and its name claimed, too.
  void claim_checkpoint(const std::string& checkpoint);

  // The first file of a run: writes config.yml, whole or not at all. Before that nothing in the folder changes. What
  // processes that were killed were writing goes.
  void begin(const std::string& config_yaml);

 private:
  void remove_run() const;

  std::string path_, checkpoint_;
  bool is_new_ = false, starts_over_ = false;
  std::unique_ptr<io::LockFile> folder_lock_, checkpoint_lock_;
};

}  // namespace phasor::run
