#include "engine/program/execute/channel.h"

namespace phasor {

Channel::Channel(const Link& link)
    : link_(link),
      stride_(align_up(link.bytes)),
      ring_(allocate_zeroed(stride_ * link.capacity)),
      bytes_(static_cast<std::size_t>(link.capacity)) {}

std::byte* Channel::begin_send() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return sent_ - received_ < link_.capacity || abandoned_; });
  ensure(!abandoned_, "link '{}': another device failed", link_.name);
  return ring_.get() + static_cast<std::ptrdiff_t>(place(sent_)) * stride_;
}

void Channel::end_send(std::int64_t bytes) {
  {
    const std::lock_guard lock(mutex_);
    bytes_[place(sent_)] = bytes;
    ++sent_;
  }
  changed_.notify_one();
}

std::span<const std::byte> Channel::begin_receive() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return sent_ > received_ || abandoned_; });
  ensure(!abandoned_, "link '{}': another device failed", link_.name);
  const std::size_t at = place(received_);
  return {ring_.get() + static_cast<std::ptrdiff_t>(at) * stride_, static_cast<std::size_t>(bytes_[at])};
}

void Channel::end_receive() {
  {
    const std::lock_guard lock(mutex_);
    ++received_;
  }
  changed_.notify_one();
}

void Channel::abandon() {
  {
    const std::lock_guard lock(mutex_);
    abandoned_ = true;
  }
  changed_.notify_all();
}

}  // namespace phasor
