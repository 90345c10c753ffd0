#include <span>

#include "engine/base/copy.h"
#include "engine/program/calibration.h"
#include "engine/program/timing.h"
#include "engine/remote/transfer_queue.h"

namespace phasor {

namespace {

constexpr std::int64_t kLargeElements = 1 << 21, kSmallElements = 16;
// Used one after the other, so that neither side of a transfer is found in a cache: rows of all replicas together, and
// parts of each one's device memory.
constexpr int kLargeRows = 8, kDeviceParts = 4;

// From the seconds that a large and a small one take.
LinkRate rate_of(double large_seconds, double small_seconds) {
  const double bytes = static_cast<double>(kLargeElements - kSmallElements) * size_of(DType::f32);
  return {.latency_seconds = small_seconds, .bytes_per_second = bytes / std::max(1e-9, large_seconds - small_seconds)};
}

// Of run(elements), which no other replica waits for, or which all do together.
template <class Run>
LinkRate measure(Run&& run, Runs runs = {.least = 5}) {
  const double large = fastest_seconds([&] { run(kLargeElements); }, runs);
  return rate_of(large, fastest_seconds([&] { run(kSmallElements); }, runs));
}

constexpr Runs kTogether{.least = 5, .most = 5};

// Collectives of tensors that divide into the group's shards, which lie apart from them.
void measure_collectives(Communicator& communicator, std::span<float> device, Rates& rates) {
  const auto size = static_cast<std::size_t>(communicator.size());
  const auto whole = [&](std::int64_t elements) {
    return device.first(std::max<std::size_t>(1, static_cast<std::size_t>(elements) / size) * size);
  };
  const auto shard = [&](std::int64_t elements) { return device.last(whole(elements).size() / size); };
  rates.gather = measure(
      [&](std::int64_t elements) {
        communicator.all_gather(std::as_bytes(shard(elements)), std::as_writable_bytes(whole(elements)));
      },
      kTogether);
  rates.reduce_scatter =
      measure([&](std::int64_t elements) { communicator.reduce_scatter(whole(elements), shard(elements)); }, kTogether);
  rates.all_reduce = measure([&](std::int64_t elements) { communicator.all_reduce(whole(elements)); }, kTogether);
}

}  // namespace

void calibrate_links(const Program& program, Replicas& replicas, RemoteMemory& memory, Rates& rates) {
  const std::int64_t rows = std::max(1, kLargeRows / replicas.count());
  const auto buffer = [&](const char* name, std::int64_t elements) -> RemoteBuffer& {
    return memory.open({name, {DType::f32, {elements}}, rows});
  };
  RemoteBuffer &large = buffer("rates.large", kLargeElements), &small = buffer("rates.small", kSmallElements);
  const bool issues = std::ranges::any_of(program.steps, &Step::issues);
  replicas.run([&](int rank) {
    Communicator& communicator = replicas.communicator(rank);
    const auto queue = issues ? async_transfer_queue() : inline_transfer_queue();
    const Tensor device({DType::f32, {kDeviceParts * kLargeElements}});
    std::int64_t part = 0;
    const auto floats = [&](std::int64_t elements) {
      const std::int64_t first = kLargeElements * (part++ % kDeviceParts);
      return device.as<float>().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(elements));
    };
    const auto remote = [&](std::int64_t elements) -> RemoteBuffer& {
      return elements == kLargeElements ? large : small;
    };
    std::int64_t row = 0;
    const auto next_row = [&] { return row++ % rows; };
    for (std::int64_t i = 0; i < rows; ++i) large.store(rank, i, std::span<const float>(floats(kLargeElements)));
    Rates measured = rates;
    measured.clear = measure([&](std::int64_t elements) { clear_bytes(std::as_writable_bytes(floats(elements))); });
    communicator.barrier();
    measured.store = measure([&](std::int64_t elements) {
      queue->wait(queue->store(remote(elements), rank, next_row(), 0, std::as_bytes(floats(elements))));
    });
    communicator.barrier();
    measured.load = measure([&](std::int64_t elements) {
      queue->wait(queue->load(remote(elements), rank, next_row(), 0, std::as_writable_bytes(floats(elements))));
    });
    if (communicator.size() > 1) measure_collectives(communicator, device.as<float>(), measured);
    communicator.barrier();
    if (rank == 0) rates = measured;
  });
}

}  // namespace phasor
