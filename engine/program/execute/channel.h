// A link at work: a ring of messages between two devices of a replica, reserved when it is made.
#pragma once

#include <condition_variable>
#include <mutex>
#include <span>

#include "engine/base/tensor.h"
#include "engine/program/program.h"

namespace phasor {

// One thread sends, another receives. Messages arrive in the order in which they were sent.
class Channel {
 public:
  // Has room for link.capacity messages of link.bytes.
  explicit Channel(const Link& link);

  // Where the next message goes, as soon as there is room; end_send() hands it over.
  std::byte* begin_send();
  void end_send(std::int64_t bytes);
  // The oldest message, as soon as there is one; end_receive() gives its room back.
  std::span<const std::byte> begin_receive();
  void end_receive();

  // Makes every wait under way and every later one throw InternalError: called where a device fails. Any thread.
  void abandon();

 private:
  std::size_t place(std::int64_t number) const { return static_cast<std::size_t>(number % link_.capacity); }

  Link link_;
  std::int64_t stride_;
  AlignedBytes ring_;
  std::vector<std::int64_t> bytes_;  // of each message in the ring
  std::mutex mutex_;
  std::condition_variable changed_;
  std::int64_t sent_ = 0, received_ = 0;
  bool abandoned_ = false;
};

}  // namespace phasor
