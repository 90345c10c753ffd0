#include "engine/remote/remote_buffer.h"

#include <array>
#include <gtest/gtest.h>
#include <numeric>

#include "engine/remote/transfer_queue.h"

namespace phasor::test {
namespace {

constexpr int kReplicas = 3;
const BufferSpec kSpec{.name = "weights", .row = {DType::f32, {5}}, .rows = 4};

using Row = std::array<float, 5>;

Row row_of(int replica, int row) {
  Row values;
  std::iota(values.begin(), values.end(), static_cast<float>(100 * replica + 10 * row));
  return values;
}

Row load(const RemoteBuffer& buffer, int replica, int row) {
  Row values;
  buffer.load(replica, row, std::span(values));
  return values;
}

TEST(RemoteBuffer, RowsOfAllReplicasAreApart) {
  RemoteMemory memory(memory_store(), kReplicas);
  RemoteBuffer& buffer = memory.open(kSpec);
  EXPECT_EQ(load(buffer, 2, 3), Row{});
  for (int replica = 0; replica < kReplicas; ++replica)
    for (int row = 0; row < 4; ++row) {
      const Row values = row_of(replica, row);
      buffer.store(replica, row, std::span(values));
    }
  for (int replica = 0; replica < kReplicas; ++replica)
    for (int row = 0; row < 4; ++row) EXPECT_EQ(load(buffer, replica, row), row_of(replica, row));
}

TEST(RemoteBuffer, RefusesWhatIsOutside) {
  RemoteMemory memory(memory_store(), kReplicas);
  RemoteBuffer& buffer = memory.open(kSpec);
  Row values{};
  std::array<float, 4> too_few{};
  EXPECT_THROW(buffer.load(-1, 0, std::span(values)), InternalError);
  EXPECT_THROW(buffer.load(kReplicas, 0, std::span(values)), InternalError);
  EXPECT_THROW(buffer.load(0, -1, std::span(values)), InternalError);
  EXPECT_THROW(buffer.store(0, 4, std::span(values)), InternalError);
  EXPECT_THROW(buffer.load(0, 0, std::span(too_few)), InternalError);
}

TEST(RemoteBuffer, MovesPartsOfRows) {
  RemoteMemory memory(memory_store(), kReplicas);
  RemoteBuffer& buffer = memory.open(kSpec);
  Row expected = row_of(1, 2);
  buffer.store(1, 2, std::span(expected));
  const std::array<float, 2> part{-1, -2};
  buffer.store(1, 2, std::as_bytes(std::span(part)), 3 * sizeof(float));
  expected[3] = -1;
  expected[4] = -2;
  EXPECT_EQ(load(buffer, 1, 2), expected);

  std::array<float, 3> loaded{};
  buffer.load(1, 2, std::as_writable_bytes(std::span(loaded)), 2 * sizeof(float));
  EXPECT_EQ(loaded, (std::array{expected[2], -1.0f, -2.0f}));
  EXPECT_THROW(buffer.load(1, 2, std::as_writable_bytes(std::span(loaded)), 3 * sizeof(float)), InternalError);
  EXPECT_THROW(buffer.store(1, 2, std::as_bytes(std::span(part)), -4), InternalError);
}

TEST(RemoteMemory, OpensABufferOnce) {
  RemoteMemory memory(memory_store(), kReplicas);
  RemoteBuffer& buffer = memory.open(kSpec);
  EXPECT_EQ(&memory.open(kSpec), &buffer);
  EXPECT_EQ(&memory["weights"], &buffer);
  EXPECT_EQ(memory.bytes(), kReplicas * 4 * 5 * 4);
}

TEST(RemoteMemory, RefusesAnotherSpecAndAnUnknownName) {
  RemoteMemory memory(memory_store(), kReplicas);
  memory.open(kSpec);
  BufferSpec longer = kSpec;
  longer.rows = 5;
  EXPECT_THROW(memory.open(longer), InternalError);
  EXPECT_THROW(memory["biases"], InternalError);
}

TEST(TransferQueue, TakesEffectInTheOrderOfIssue) {
  RemoteMemory memory(memory_store(), kReplicas);
  RemoteBuffer& buffer = memory.open(kSpec);
  const auto queue = inline_transfer_queue();
  const Row first = row_of(0, 1), second = row_of(0, 2);
  Row loaded{};
  queue->store(buffer, 1, 3, 0, std::as_bytes(std::span(first)));
  queue->store(buffer, 1, 3, 0, std::as_bytes(std::span(second)));
  queue->wait(queue->load(buffer, 1, 3, 0, std::as_writable_bytes(std::span(loaded))));
  EXPECT_EQ(loaded, second);
}

}  // namespace
}  // namespace phasor::test
