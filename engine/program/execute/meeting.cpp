#include "engine/program/execute/meeting.h"

#include "engine/base/error.h"

namespace phasor {

void Meeting::wait() {
  static constexpr const char* kFailed = "meeting: another device failed";
  std::unique_lock lock(mutex_);
  ensure(!abandoned_, kFailed);
  const std::int64_t round = round_;
  if (++here_ == members_) {
    here_ = 0;
    ++round_;
    changed_.notify_all();
  }
  changed_.wait(lock, [&] { return round_ != round || abandoned_; });
  ensure(round_ != round, kFailed);
}

void Meeting::abandon() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  changed_.notify_all();
}

}  // namespace phasor
