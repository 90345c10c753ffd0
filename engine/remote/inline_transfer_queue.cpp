#include "engine/remote/transfer_queue.h"

namespace phasor {

namespace {

class InlineTransferQueue : public TransferQueue {
 public:
  Ticket load(const RemoteBuffer& buffer, int replica, std::int64_t row, std::int64_t offset, std::span<std::byte> to,
              TraceMark mark) override {
    const TraceScope scope(mark);
    buffer.load(replica, row, to, offset);
    return 0;
  }
  Ticket store(RemoteBuffer& buffer, int replica, std::int64_t row, std::int64_t offset,
               std::span<const std::byte> from, TraceMark mark) override {
    const TraceScope scope(mark);
    buffer.store(replica, row, from, offset);
    return 0;
  }
  void wait(Ticket) override {}
};

}  // namespace

std::unique_ptr<TransferQueue> inline_transfer_queue() { return std::make_unique<InlineTransferQueue>(); }

}  // namespace phasor
