// Moves rows between remote buffers and the device. A transfer is issued and later waited for; in between its slot
// belongs to the queue.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/remote/remote_buffer.h"

namespace phasor {

// Transfers of one queue take effect in the order of issue. One thread, its replica's, uses a queue.
class TransferQueue {
 public:
  using Ticket = std::int64_t;
  virtual ~TransferQueue() = default;

  virtual Ticket load(const RemoteBuffer& buffer, int replica, std::int64_t row, std::span<std::byte> to) = 0;
  virtual Ticket store(RemoteBuffer& buffer, int replica, std::int64_t row, std::span<const std::byte> from) = 0;
  // Returns when the transfer is done; rethrows what it threw.
  virtual void wait(Ticket ticket) = 0;
};

// Does each transfer at once, on the caller's thread.
std::unique_ptr<TransferQueue> inline_transfer_queue();

}  // namespace phasor
