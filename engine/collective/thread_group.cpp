#include <condition_variable>
#include <cstring>
#include <mutex>

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/collective/communicator.h"
#include "engine/collective/partial_sums.h"
#include "engine/collective/tree_sum.h"

namespace phasor {

// What the members of a group see of each other: where each one's operands lie during an operation.
struct ThreadGroup::Shared {
  explicit Shared(int group_size) : size(group_size), operands(group_size), results(group_size) {}

  void barrier() {
    std::unique_lock lock(mutex);
    ensure(!abandoned, "collective: another replica failed");
    const std::uint64_t current = generation;
    if (++arrived == size) {
      arrived = 0;
      ++generation;
      changed.notify_all();
      return;
    }
    changed.wait(lock, [&] { return generation != current || abandoned; });
    ensure(generation != current, "collective: another replica failed");
  }

  const int size;
  // Written by its rank before a barrier, read by others after it.
  std::vector<const void*> operands;
  std::vector<void*> results;  // that others write, too
  std::mutex mutex;
  std::condition_variable changed;
  int arrived = 0;
  std::uint64_t generation = 0;
  bool abandoned = false;
};

class ThreadGroup::Member : public Communicator {
 public:
  Member(Shared& shared, int rank) : shared_(shared), rank_(rank) { subtrees_.reserve(shared.operands.size()); }

  int rank() const override { return rank_; }
  int size() const override { return shared_.size; }

  void all_gather(std::span<const std::byte> shard, std::span<std::byte> full) override {
    publish(shard.data());
    parallel_for(size(), [&](std::int64_t from) {
      std::byte* place = full.data() + static_cast<std::size_t>(from) * shard.size();
      if (place != shared_.operands[from]) std::memcpy(place, shared_.operands[from], shard.size());
    });
    shared_.barrier();
  }

  void reduce_scatter_partials(std::span<const float> partials, int leaves, std::span<float> shard) override {
    publish(partials.data());
    const auto count = std::ssize(shard);
    find_subtrees(leaves, size() * count);
    parallel_for_ranges(count, kTreeSumBlock, [&](std::int64_t begin, std::int64_t end) {
      tree_sum(subtrees_, rank_ * count + begin, shard.subspan(begin, end - begin));
    });
    shared_.barrier();
  }

  // Each rank sums one part of the values and writes the sum to every member: nobody else touches that part.
  void all_reduce_partials(std::span<const float> partials, int leaves, std::span<float> sum) override {
    publish(partials.data(), sum.data());
    const auto count = std::ssize(sum);
    find_subtrees(leaves, count);
    const std::int64_t part = (count + size() - 1) / size();
    const std::int64_t first = std::min(count, rank_ * part), last = std::min(count, first + part);
    parallel_for_ranges(last - first, kTreeSumBlock, [&](std::int64_t begin, std::int64_t end) {
      std::array<float, kTreeSumBlock> values;
      const auto block = std::span(values).first(end - begin);
      tree_sum(subtrees_, first + begin, block);
      for (void* result : shared_.results) {
        std::copy(block.begin(), block.end(), static_cast<float*>(result) + first + begin);
      }
    });
    shared_.barrier();
  }

  void broadcast(std::span<std::byte> values, int root) override {
    publish(values.data());
    if (rank_ != root) std::memcpy(values.data(), shared_.operands[root], values.size());
    shared_.barrier();
  }

  void barrier() override { shared_.barrier(); }

 private:
  void publish(const void* operand, void* result = nullptr) {
    shared_.operands[rank_] = operand;
    shared_.results[rank_] = result;
    shared_.barrier();
  }
  // Of the members' partial sums of so many elements each.
  void find_subtrees(int leaves, std::int64_t elements) {
    subtrees_.clear();
    for (int rank = 0; rank < size(); ++rank) {
      add_subtrees(subtrees_, LeafRun::of(rank, leaves), static_cast<const float*>(shared_.operands[rank]), elements);
    }
  }

  Shared& shared_;
  const int rank_;
  std::vector<Subtree> subtrees_;  // of the operation under way
};

ThreadGroup::ThreadGroup(int size) : shared_(std::make_unique<Shared>(size)) {
  for (int rank = 0; rank < size; ++rank) members_.push_back(std::make_unique<Member>(*shared_, rank));
}

ThreadGroup::~ThreadGroup() = default;

Communicator& ThreadGroup::member(int rank) { return *members_.at(rank); }

void ThreadGroup::abandon() {
  const std::lock_guard lock(shared_->mutex);
  shared_->abandoned = true;
  shared_->changed.notify_all();
}

}  // namespace phasor
