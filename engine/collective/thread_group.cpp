#include <condition_variable>
#include <cstring>
#include <mutex>

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/collective/communicator.h"
#include "engine/collective/tree_sum.h"

namespace phasor {

// What the members of a group see of each other: where each one's operand lies during an operation.
struct ThreadGroup::Shared {
  explicit Shared(int group_size) : size(group_size), operands(group_size) {}

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
  std::vector<void*> operands;  // written by its rank before a barrier, read by others after it
  std::mutex mutex;
  std::condition_variable changed;
  int arrived = 0;
  std::uint64_t generation = 0;
  bool abandoned = false;
};

class ThreadGroup::Member : public Communicator {
 public:
  Member(Shared& shared, int rank) : shared_(shared), rank_(rank), leaves_(shared.operands.size()) {}

  int rank() const override { return rank_; }
  int size() const override { return shared_.size; }

  void all_gather(std::span<const std::byte> shard, std::span<std::byte> full) override {
    publish(const_cast<std::byte*>(shard.data()));
    parallel_for(size(), [&](std::int64_t from) {
      std::byte* place = full.data() + static_cast<std::size_t>(from) * shard.size();
      if (place != shared_.operands[from]) std::memcpy(place, shared_.operands[from], shard.size());
    });
    shared_.barrier();
  }

  void reduce_scatter(std::span<const float> full, std::span<float> shard) override {
    publish(const_cast<float*>(full.data()));
    const auto leaves = operands_as_floats();
    const auto count = static_cast<std::int64_t>(shard.size());
    parallel_for_ranges(count, kTreeSumBlock, [&](std::int64_t begin, std::int64_t end) {
      tree_sum(leaves, rank_ * count + begin, shard.subspan(begin, end - begin));
    });
    shared_.barrier();
  }

  // Each rank sums one part of the values and writes the sum to every member: nobody else touches that part.
  void all_reduce(std::span<float> values) override {
    publish(values.data());
    const auto leaves = operands_as_floats();
    const auto count = static_cast<std::int64_t>(values.size());
    const std::int64_t part = (count + size() - 1) / size();
    const std::int64_t first = std::min(count, rank_ * part), last = std::min(count, first + part);
    parallel_for_ranges(last - first, kTreeSumBlock, [&](std::int64_t begin, std::int64_t end) {
      std::array<float, kTreeSumBlock> sum;
      const auto block = std::span(sum).first(end - begin);
      tree_sum(leaves, first + begin, block);
      for (void* operand : shared_.operands) {
        std::copy(block.begin(), block.end(), static_cast<float*>(operand) + first + begin);
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
  void publish(void* operand) {
    shared_.operands[rank_] = operand;
    shared_.barrier();
  }
  std::span<const float* const> operands_as_floats() {
    std::ranges::transform(shared_.operands, leaves_.begin(),
                           [](void* operand) { return static_cast<float*>(operand); });
    return leaves_;
  }

  Shared& shared_;
  const int rank_;
  std::vector<const float*> leaves_;  // of the operation under way
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
