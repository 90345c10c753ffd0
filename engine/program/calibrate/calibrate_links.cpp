#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <span>

#include "engine/base/copy.h"
#include "engine/program/calibrate/calibration.h"
#include "engine/program/calibrate/measurement_rounds.h"
#include "engine/program/calibrate/timing.h"
#include "engine/remote/transfer_queue.h"

namespace phasor {

namespace {

constexpr std::int64_t kLargeElements = 1 << 21;
constexpr std::array<std::int64_t, 6> kSizes{16, 1 << 13, 1 << 15, 1 << 17, 1 << 19, kLargeElements};  // elements
// Used one part after the other, so that neither side of a transfer is found in a cache: rows of all replicas together,
// and parts of each one's device memory.
constexpr int kLargeRows = 8, kDeviceParts = 4;
constexpr int kAskedForCores = 3;  // times; a transfer that others disturb seems to keep fewer busy

constexpr double link_bytes(std::int64_t elements) { return static_cast<double>(elements) * size_of(DType::f32); }

// Gives out one part after the other of so many elements, and begins again at their end.
class Places {
 public:
  explicit Places(std::int64_t end) : end_(end) {}
  // The first element, a multiple of `elements`, which is a power of two as is the end.
  std::int64_t next(std::int64_t elements) {
    const std::int64_t first = (next_ + elements - 1) / elements * elements % end_;
    next_ = first + std::max(elements, kApart);
    return first;
  }

 private:
  static constexpr std::int64_t kApart = 1 << 11;  // beyond what is fetched ahead
  std::int64_t end_, next_ = 0;
};

// What is measured: elements that move once.
struct LinkPiece {
  LinkRate Rates::*link;
  std::int64_t elements;
  bool smallest;  // of the link's
  std::function<void()> move;
};

// The pieces that one replica measures: the same, at the same places, as every other.
class LinkPieces {
 public:
  LinkPieces(int rank, Communicator& members, TransferQueue& queue, RemoteBuffer& remote)
      : rank_(rank), members_(members), queue_(queue), remote_(remote) {
    for (std::int64_t i = 0; i < remote.spec().rows; ++i) {
      remote.store(rank, i, std::span<const float>(device_.as<float>().first(kLargeElements)));
    }
    for (const std::int64_t size : kSizes) {
      add(&Rates::clear, size, [=, this] { clear_bytes(std::as_writable_bytes(device(size))); });
      add(&Rates::store, size, [=, this] { store(size); });
      add(&Rates::load, size, [=, this] { load(size); });
      if (members.size() > 1) add_collectives(size);
    }
  }

  const std::vector<LinkPiece>& pieces() const { return pieces_; }

  double seconds_of(const LinkPiece& piece) const {
    // Replicas that work together take equal numbers of runs.
    constexpr Runs kRuns{.least = 2, .most = 2};
    return fastest_seconds(piece.move, kRuns);
  }

  // On this thread, past the queue, whose thread would do the same.
  void measure_cores(Rates& rates) {
    for (int i = 0; i < kAskedForCores; ++i) {
      const auto at = remote_place(kLargeElements);
      const auto floats = device(kLargeElements);
      rates.store.cores = std::max(rates.store.cores,
                                   cores_of([&] { remote_.store(rank_, at.row, std::as_bytes(floats), at.offset); }));
      rates.load.cores = std::max(
          rates.load.cores, cores_of([&] { remote_.load(rank_, at.row, std::as_writable_bytes(floats), at.offset); }));
    }
  }

 private:
  struct RemotePlace {
    std::int64_t row, offset;  // in bytes
  };

  void add(LinkRate Rates::*link, std::int64_t elements, std::function<void()> move) {
    const bool smallest = std::ranges::none_of(pieces_, [&](const LinkPiece& piece) { return piece.link == link; });
    pieces_.push_back({link, elements, smallest, std::move(move)});
  }

  // Tensors divide into the group's shards, which lie apart from them.
  void add_collectives(std::int64_t size) {
    const std::int64_t shard = std::max<std::int64_t>(1, size / members_.size()), whole = shard * members_.size();
    const auto parts = [=, this] {
      const auto part_of = [this](std::int64_t elements) {
        const auto room = std::bit_ceil(static_cast<std::uint64_t>(elements));
        return device(static_cast<std::int64_t>(room)).first(static_cast<std::size_t>(elements));
      };
      return std::pair(part_of(whole), part_of(shard));
    };
    add(&Rates::gather, whole, [=, this] {
      const auto [full, part] = parts();
      members_.all_gather(std::as_bytes(part), std::as_writable_bytes(full));
    });
    add(&Rates::reduce_scatter, whole, [=, this] {
      const auto [full, part] = parts();
      members_.reduce_scatter(full, part);
    });
    add(&Rates::all_reduce, whole, [=, this] { members_.all_reduce(parts().first); });
  }

  std::span<float> device(std::int64_t elements) {
    const std::int64_t first = device_places_.next(elements);
    return device_.as<float>().subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(elements));
  }
  RemotePlace remote_place(std::int64_t elements) {
    const std::int64_t first = remote_places_.next(elements) % (remote_.spec().rows * kLargeElements);
    return {.row = first / kLargeElements, .offset = first % kLargeElements * size_of(DType::f32)};
  }

  void store(std::int64_t elements) {
    const auto [row, offset] = remote_place(elements);
    queue_.wait(queue_.store(remote_, rank_, row, offset, std::as_bytes(device(elements))));
  }
  void load(std::int64_t elements) {
    const auto [row, offset] = remote_place(elements);
    queue_.wait(queue_.load(remote_, rank_, row, offset, std::as_writable_bytes(device(elements))));
  }

  int rank_;
  Communicator& members_;
  TransferQueue& queue_;
  RemoteBuffer& remote_;
  Tensor device_{{DType::f32, {kDeviceParts * kLargeElements}}};
  Places device_places_{kDeviceParts * kLargeElements}, remote_places_{kLargeRows * kLargeElements};
  std::vector<LinkPiece> pieces_;
};

// The smallest size tells what no bytes take, the others the rest.
void add_time(LinkRate& link, const LinkPiece& piece, double seconds) {
  if (piece.smallest) {
    link.latency_seconds = seconds;
    return;
  }
  const double bytes = link_bytes(piece.elements);
  link.measured.push_back({.bytes = bytes, .seconds = seconds});
  link.bytes_per_second = bytes / std::max(1e-9, seconds - link.latency_seconds);
}

}  // namespace

void calibrate_links(const Program& program, Replicas& replicas, RemoteMemory& memory, Rates& rates) {
  const std::int64_t rows = std::max(1, kLargeRows / replicas.count());
  RemoteBuffer& remote = memory.open({"rates", {DType::f32, {kLargeElements}}, rows});
  const bool issues = std::ranges::any_of(program.steps, &Step::issues);
  replicas.run([&](int rank) {
    Communicator& members = replicas.communicator(rank);
    const auto queue = issues ? async_transfer_queue() : inline_transfer_queue();
    LinkPieces links(rank, members, *queue, remote);
    const std::vector<LinkPiece>& pieces = links.pieces();
    const std::vector<double> seconds = medians_of_rounds(static_cast<int>(pieces.size()), members,
                                                          [&](int piece) { return links.seconds_of(pieces[piece]); });
    Rates measured;
    if (issues) links.measure_cores(measured);
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      add_time(measured.*pieces[i].link, pieces[i], seconds[i]);
    }
    if (rank > 0) return;
    for (const auto link :
         {&Rates::clear, &Rates::load, &Rates::store, &Rates::gather, &Rates::reduce_scatter, &Rates::all_reduce}) {
      rates.*link = measured.*link;
    }
  });
}

}  // namespace phasor
