#include "models/checkpoint/saver.h"

#include <filesystem>

#include "engine/base/parallel.h"
#include "io/files/atomic_file.h"

namespace phasor::run {

void CheckpointSaver::let_state_change() {
  reading_ = false;
  reading_.notify_all();
}

void CheckpointSaver::check_can_save() const {
  io::check_writable(files_.path());
  if (storage_.deflate > 0) return;  // nobody knows how much it takes
  std::int64_t bytes = 0;
  for (const CanonicalTensor& tensor : canonical_tensors(stages_)) bytes += tensor.shape.elements() * sizeof(float);
  bytes *= std::ssize(kSavedStates);
  std::error_code error;
  const auto folder = std::filesystem::absolute(files_.path()).parent_path();
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  check(error || space.available >= static_cast<std::uintmax_t>(bytes),
        "checkpoint: '{}' will take {} bytes, but its disk has {} left. Make room, or choose another place",
        files_.path(), bytes, space.available);
}

void CheckpointSaver::tidy(std::int64_t step, std::int64_t best) const {
  io::remove_abandoned(files_.path());
  if (best >= 0 && std::filesystem::exists(files_.of_step(best))) files_.make_best(best);
  files_.retain(step, best);
}

void CheckpointSaver::save(const ModelState& state, const RunPosition& position, bool numbered, std::int64_t best) {
  io::remove_abandoned(files_.path());
  save_checkpoint(files_.path(), stages_, state, position, storage_,
                  {.tensor_saved = [&] { ++tensors_; }, .state_read = [&] { let_state_change(); }});
  is_whole_ = true;
  if (!numbered) return;
  files_.make_numbered(position.step);
  files_.retain(position.step, best);
}

void CheckpointSaver::start(const ModelState& state, RunPosition position, bool numbered, std::int64_t best) {
  ensure(!thread_.joinable(), "checkpoint: two saves at once");
  failure_.clear();
  is_whole_ = false;
  saving_ = position.step;
  tensors_ = 0;
  reading_ = true;
  thread_ = std::jthread([this, &state, position = std::move(position), numbered, best] {
    set_threads(1);  // of copies: the cores belong to the replicas
    try {
      save(state, position, numbered, best);
    } catch (const std::exception& error) {
      failure_ = error.what();
    }
    let_state_change();
    ended_.release();
  });
}

void CheckpointSaver::show_rest(io::Listener& listener) {
  constexpr std::chrono::milliseconds kLook{100};
  const auto progress = listener.progress("saving", count_saved_tensors(stages_), "tensors");
  std::int64_t shown = 0;
  for (bool ended = false; !ended;) {
    ended = ended_.try_acquire_for(kLook);
    const std::int64_t saved = tensors_;
    progress->advance(saved - shown);
    shown = saved;
  }
  ended_.release();
}

std::string CheckpointSaver::finish(io::Listener& listener) {
  if (!thread_.joinable()) return "";
  show_rest(listener);
  ended_.acquire();
  thread_.join();
  if (is_whole_) saved_ = saving_;
  if (failure_.empty()) return "";
  if (is_whole_) return fmt::format("step {} is saved, but not under a name of its own: {}", saving_, failure_);
  const bool stays = saved_ >= 0 && std::filesystem::exists(files_.path());
  const std::string kept = stays ? fmt::format("; the checkpoint of step {} is kept", saved_) : "";
  return fmt::format("step {} was not saved: {}{}", saving_, failure_, kept);
}

}  // namespace phasor::run
