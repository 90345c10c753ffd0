// Moves rows between remote buffers and the device. A transfer is issued and later waited for; in between its slot
// belongs to the queue.
#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/trace.h"
#include "engine/remote/remote_buffer.h"

namespace phasor {

// Transfers of one queue take effect in the order of issue, so that a load of a row follows the stores of that row
// which were issued before it. One thread, its replica's, uses a queue.
class TransferQueue {
 public:
  using Ticket = std::int64_t;
  virtual ~TransferQueue() = default;

  // Moves a row, or the part of it that begins at byte `offset`. The buffer and the bytes outlive the transfer. The
  // time that moving them takes is recorded at `mark`.
  virtual Ticket load(const RemoteBuffer& buffer, int replica, std::int64_t row, std::int64_t offset,
                      std::span<std::byte> to, TraceMark mark = {}) = 0;
  virtual Ticket store(RemoteBuffer& buffer, int replica, std::int64_t row, std::int64_t offset,
                       std::span<const std::byte> from, TraceMark mark = {}) = 0;
  // Returns when the transfer and all that were issued before it are done. Rethrows the first error among them, once;
  // errors that follow it before then are lost.
  virtual void wait(Ticket ticket) = 0;
};

// Does each transfer at once, on the caller's thread; errors come from load() and store().
std::unique_ptr<TransferQueue> inline_transfer_queue();

// Has a thread of its own, which sleeps when there is nothing to do. `capacity` transfers may be under way; issuing one
// more waits for the first of them. Allocates nothing after construction, errors apart. The destructor finishes what
// was issued; errors that nobody waited for are lost.
std::unique_ptr<TransferQueue> async_transfer_queue(int capacity = 1024);

}  // namespace phasor
