#include "models/tasks/state_progress.h"

#include <algorithm>

namespace phasor::tasks {

namespace {

constexpr std::int64_t kSavedKinds = 3;              // weights and both moments
constexpr std::int64_t kMegabyte = 1'000'000;        // what is shown
constexpr std::int64_t kWorthShowing = 256'000'000;  // bytes

std::int64_t state_bytes(const Stages& stages) {
  return count_parameters(stages) * kSavedKinds * static_cast<std::int64_t>(sizeof(float));
}

}  // namespace

StateProgress::StateProgress(std::string title, const Stages& stages, ModelState& state, io::ProgressStyle style,
                             std::FILE* out)
    : state_(state),
      total_bytes_(state_bytes(stages)),
      progress_(std::move(title), total_bytes_ / kMegabyte, "MB",
                total_bytes_ < kWorthShowing ? io::ProgressStyle::Quiet : style, out) {
  state_.observe([this](std::int64_t bytes) { advance(bytes); });
}

StateProgress::~StateProgress() { state_.observe({}); }

void StateProgress::advance(std::int64_t bytes) {
  const std::int64_t before = bytes_ / kMegabyte;
  bytes_ = std::min(total_bytes_, bytes_ + bytes);
  progress_.advance(bytes_ / kMegabyte - before);
}

}  // namespace phasor::tasks
