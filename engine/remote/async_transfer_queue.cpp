#include <condition_variable>
#include <exception>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/remote/transfer_queue.h"

namespace phasor {

namespace {

constexpr TransferQueue::Ticket kNobody = std::numeric_limits<TransferQueue::Ticket>::max();

struct Transfer {
  const RemoteBuffer* source = nullptr;  // of a load
  RemoteBuffer* destination = nullptr;   // of a store
  int replica = 0;
  std::int64_t row = 0, offset = 0;
  std::span<std::byte> to;
  std::span<const std::byte> from;
  TraceMark mark;

  void run() const {
    const TraceScope scope(mark);
    if (source != nullptr) {
      source->load(replica, row, to, offset);
    } else {
      destination->store(replica, row, from, offset);
    }
  }
};

// Tickets count from 0; transfer t lies in ring_[t % capacity] from issue until it is done.
class AsyncTransferQueue : public TransferQueue {
 public:
  explicit AsyncTransferQueue(int capacity) : ring_(static_cast<std::size_t>(capacity)), worker_([this] { work(); }) {}
  AsyncTransferQueue(const AsyncTransferQueue&) = delete;
  AsyncTransferQueue& operator=(const AsyncTransferQueue&) = delete;

  ~AsyncTransferQueue() override {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    issued_changed_.notify_one();
    worker_.join();
  }

  Ticket load(const RemoteBuffer& buffer, int replica, std::int64_t row, std::int64_t offset, std::span<std::byte> to,
              TraceMark mark) override {
    return issue(
        {.source = &buffer, .replica = replica, .row = row, .offset = offset, .to = to, .from = {}, .mark = mark});
  }
  Ticket store(RemoteBuffer& buffer, int replica, std::int64_t row, std::int64_t offset,
               std::span<const std::byte> from, TraceMark mark) override {
    return issue({.destination = &buffer,
                  .replica = replica,
                  .row = row,
                  .offset = offset,
                  .to = {},
                  .from = from,
                  .mark = mark});
  }

  void wait(Ticket ticket) override {
    std::unique_lock lock(mutex_);
    wait_for(ticket, lock);
    if (!error_ || failed_ > ticket) return;
    std::exception_ptr error;
    error.swap(error_);
    std::rethrow_exception(error);
  }

 private:
  Ticket issue(const Transfer& transfer) {
    std::unique_lock lock(mutex_);
    wait_for(issued_ - static_cast<Ticket>(ring_.size()), lock);
    ring_[place(issued_)] = transfer;
    const Ticket ticket = issued_++;
    lock.unlock();
    issued_changed_.notify_one();
    return ticket;
  }

  void wait_for(Ticket ticket, std::unique_lock<std::mutex>& lock) {
    awaited_ = ticket;
    done_changed_.wait(lock, [&] { return done_ > ticket; });
    awaited_ = kNobody;
  }

  void work() {
    std::unique_lock lock(mutex_);
    for (;;) {
      issued_changed_.wait(lock, [&] { return issued_ > done_ || stopping_; });
      if (issued_ == done_) return;
      const Transfer transfer = ring_[place(done_)];
      lock.unlock();
      std::exception_ptr error;
      try {
        transfer.run();
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (error && !error_) {
        error_ = error;
        failed_ = done_;
      }
      if (++done_ > awaited_) done_changed_.notify_one();
    }
  }

  std::size_t place(Ticket ticket) const { return static_cast<std::size_t>(ticket) % ring_.size(); }

  std::mutex mutex_;
  std::condition_variable issued_changed_, done_changed_;
  std::vector<Transfer> ring_;
  Ticket issued_ = 0, done_ = 0;  // how many transfers were issued; how many of them are done
  Ticket awaited_ = kNobody;      // by the thread that uses the queue: the worker wakes it up no sooner
  std::exception_ptr error_;      // of transfer failed_
  Ticket failed_ = 0;
  bool stopping_ = false;
  std::thread worker_;  // last: it uses all of the above
};

}  // namespace

std::unique_ptr<TransferQueue> async_transfer_queue(int capacity) {
  return std::make_unique<AsyncTransferQueue>(capacity);
}

}  // namespace phasor
