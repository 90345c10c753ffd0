// What holds for both transfer queues, and what the asynchronous one adds.
#include "engine/remote/transfer_queue.h"

#include <atomic>
#include <cstring>
#include <gtest/gtest.h>
#include <semaphore>
#include <thread>

#include "engine/base/error.h"

namespace phasor::test {
namespace {

using QueueRow = std::array<std::int64_t, 4>;
const BufferSpec kQueueSpec{"rows", {DType::i64, {4}}, 8};

std::span<std::byte> bytes_of(QueueRow& row) { return std::as_writable_bytes(std::span(row)); }
QueueRow row_of(std::int64_t value) { return {value, value + 1, value + 2, value + 3}; }

// Memory that can be made to wait or to fail.
class TestStore : public Store {
 public:
  Region create(const std::string& name, std::int64_t bytes) override { return memory_->create(name, bytes); }
  void read(Region region, std::int64_t offset, std::span<std::byte> to) const override {
    pass(offset);
    memory_->read(region, offset, to);
  }
  void write(Region region, std::int64_t offset, std::span<const std::byte> from) override {
    pass(offset);
    memory_->write(region, offset, from);
  }

  static constexpr std::int64_t kNone = -1;
  std::atomic<std::int64_t> failing_row = kNone, blocked_row = kNone;
  mutable std::binary_semaphore released{0};
  mutable std::atomic<int> transfers = 0;

 private:
  void pass(std::int64_t offset) const {
    const std::int64_t row = offset / static_cast<std::int64_t>(sizeof(QueueRow));
    if (row == blocked_row) released.acquire();
    if (row == failing_row) throw UserError(fmt::format("row {} fails", row));
    ++transfers;
  }
  std::unique_ptr<Store> memory_ = memory_store();
};

struct Remote {
  TestStore store;
  RemoteBuffer buffer{store, kQueueSpec, 1};
};

class TransferQueueTest : public ::testing::TestWithParam<int> {  // the capacity; 0: the inline queue
 protected:
  std::unique_ptr<TransferQueue> make() const {
    return GetParam() == 0 ? inline_transfer_queue() : async_transfer_queue(GetParam());
  }
};

TEST_P(TransferQueueTest, ALoadSeesTheStoresBeforeIt) {
  Remote remote;
  const auto queue = make();
  QueueRow from[8], to[8];
  for (int round = 0; round < 200; ++round) {
    TransferQueue::Ticket last = 0;
    for (int i = 0; i < 8; ++i) {
      from[i] = row_of(100 * round + i);
      queue->store(remote.buffer, 0, i, 0, bytes_of(from[i]));
      last = queue->load(remote.buffer, 0, i, 0, bytes_of(to[i]));
    }
    queue->wait(last);  // and so for all before it
    for (int i = 0; i < 8; ++i) ASSERT_EQ(to[i], from[i]) << round;
  }
}

// A slot that is stored may be loaded anew at once: the queue's order keeps the two apart.
TEST_P(TransferQueueTest, ALoadFollowsTheStoreOfItsOwnSlot) {
  Remote remote;
  const auto queue = make();
  QueueRow slot = row_of(1), other = row_of(50);
  queue->wait(queue->store(remote.buffer, 0, 1, 0, bytes_of(other)));
  for (int round = 0; round < 100; ++round) {
    queue->store(remote.buffer, 0, 0, 0, bytes_of(slot));
    queue->wait(queue->load(remote.buffer, 0, 1, 0, bytes_of(slot)));
    ASSERT_EQ(slot, other);
    QueueRow stored;
    queue->wait(queue->load(remote.buffer, 0, 0, 0, bytes_of(stored)));
    ASSERT_EQ(stored, round == 0 ? row_of(1) : other);
  }
}

TEST_P(TransferQueueTest, TicketsMayBeWaitedForInAnyOrderAndTwice) {
  Remote remote;
  const auto queue = make();
  QueueRow rows[6];
  TransferQueue::Ticket tickets[6];
  for (int i = 0; i < 6; ++i) {
    rows[i] = row_of(i);
    tickets[i] = queue->store(remote.buffer, 0, i, 0, bytes_of(rows[i]));
  }
  for (int i : {5, 0, 3, 3, 5}) queue->wait(tickets[i]);
  EXPECT_EQ(remote.store.transfers, 6);
}

TEST_P(TransferQueueTest, RowsMoveInParts) {
  Remote remote;
  const auto queue = make();
  QueueRow row = row_of(1), part = row_of(50), whole{}, loaded{};
  constexpr std::int64_t kBytes = sizeof(QueueRow), kHalf = kBytes / 2;
  queue->store(remote.buffer, 0, 3, 0, bytes_of(row));
  queue->store(remote.buffer, 0, 3, kHalf, bytes_of(part).first(kHalf));
  queue->load(remote.buffer, 0, 3, 0, bytes_of(whole));
  queue->wait(queue->load(remote.buffer, 0, 3, kHalf, bytes_of(loaded).first(kHalf)));
  EXPECT_EQ(whole, (QueueRow{1, 2, 50, 51}));
  EXPECT_EQ(loaded, (QueueRow{50, 51, 0, 0}));
}

TEST_P(TransferQueueTest, TheDestructorFinishesWhatWasIssued) {
  Remote remote;
  QueueRow rows[8];
  {
    const auto queue = make();
    for (int i = 0; i < 8; ++i) {
      rows[i] = row_of(i);
      queue->store(remote.buffer, 0, i, 0, bytes_of(rows[i]));
    }
  }
  EXPECT_EQ(remote.store.transfers, 8);
}

TEST_P(TransferQueueTest, ErrorsComeOutOnce) {
  Remote remote;
  const auto queue = make();
  QueueRow row = row_of(3);
  remote.store.failing_row = 2;
  try {
    const auto ticket = queue->store(remote.buffer, 0, 2, 0, bytes_of(row));
    queue->wait(ticket);
    FAIL() << "no error";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(), "row 2 fails");
  }
  queue->wait(queue->store(remote.buffer, 0, 1, 0, bytes_of(row)));  // the queue goes on
  EXPECT_EQ(remote.store.transfers, 1);
}

INSTANTIATE_TEST_SUITE_P(Capacities, TransferQueueTest, ::testing::Values(0, 1, 2, 3, 1024));

TEST(AsyncTransferQueue, IssuesWithoutWaiting) {
  Remote remote;
  const auto queue = async_transfer_queue();
  QueueRow a = row_of(1), b = row_of(2);
  remote.store.blocked_row = 0;
  const auto first = queue->store(remote.buffer, 0, 0, 0, bytes_of(a));
  const auto second = queue->store(remote.buffer, 0, 1, 0, bytes_of(b));
  EXPECT_EQ(remote.store.transfers, 0);  // the second comes after the first, which hangs
  remote.store.released.release();
  queue->wait(first);
  EXPECT_GE(remote.store.transfers, 1);
  queue->wait(second);
  EXPECT_EQ(remote.store.transfers, 2);
}

// A wait for a transfer before the one that fails does not hear of it; a wait for one behind it does.
TEST(AsyncTransferQueue, AnErrorReachesTheFirstWaitBehindIt) {
  Remote remote;
  const auto queue = async_transfer_queue();
  QueueRow rows[3] = {row_of(1), row_of(2), row_of(3)};
  remote.store.failing_row = 1;
  TransferQueue::Ticket tickets[3];
  for (int i = 0; i < 3; ++i) tickets[i] = queue->store(remote.buffer, 0, i, 0, bytes_of(rows[i]));
  EXPECT_NO_THROW(queue->wait(tickets[0]));
  EXPECT_THROW(queue->wait(tickets[2]), UserError);
  EXPECT_NO_THROW(queue->wait(tickets[1]));
  EXPECT_EQ(remote.store.transfers, 2);  // what was issued behind the one that fails is done
}

// Replicas share a store, each through a queue of its own.
TEST(AsyncTransferQueue, ManyQueuesShareAStore) {
  constexpr int kQueues = 4, kRounds = 500;
  const auto store = memory_store();
  RemoteBuffer buffer(*store, kQueueSpec, kQueues);
  std::vector<std::jthread> threads;
  std::array<std::int64_t, kQueues> sums{};
  for (int replica = 0; replica < kQueues; ++replica) {
    threads.emplace_back([&, replica] {
      const auto queue = async_transfer_queue(5);
      QueueRow slots[2];
      for (std::int64_t round = 0; round < kRounds; ++round) {
        QueueRow& slot = slots[round % 2];
        slot = row_of(round + replica);
        queue->store(buffer, replica, round % 8, 0, bytes_of(slot));
        queue->wait(queue->load(buffer, replica, round % 8, 0, bytes_of(slot)));
        sums[replica] += slot[0];
      }
    });
  }
  threads.clear();
  for (int replica = 0; replica < kQueues; ++replica) {
    EXPECT_EQ(sums[replica], kRounds * (kRounds - 1) / 2 + kRounds * replica);
  }
}

}  // namespace
}  // namespace phasor::test
