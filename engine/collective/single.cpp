#include <algorithm>

#include "engine/base/parallel.h"
#include "engine/collective/communicator.h"
#include "engine/collective/partial_sums.h"
#include "engine/collective/tree_sum.h"

namespace phasor {

namespace {

class SingleCommunicator : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_gather(std::span<const std::byte> shard, std::span<std::byte> full) override {
    if (shard.data() != full.data()) std::copy(shard.begin(), shard.end(), full.begin());
  }
  void reduce_scatter_partials(std::span<const float> partials, int leaves, std::span<float> shard) override {
    all_reduce_partials(partials, leaves, shard);
  }
  void all_reduce_partials(std::span<const float> partials, int leaves, std::span<float> sum) override {
    subtrees_.clear();
    add_subtrees(subtrees_, LeafRun::of(0, leaves), partials.data(), std::ssize(sum));
    parallel_for_ranges(std::ssize(sum), kTreeSumBlock, [&](std::int64_t begin, std::int64_t end) {
      tree_sum(subtrees_, begin, sum.subspan(begin, end - begin));
    });
  }
  void broadcast(std::span<std::byte>, int) override {}
  void barrier() override {}

 private:
  std::vector<Subtree> subtrees_;  // of the operation under way
};

}  // namespace

std::unique_ptr<Communicator> single_communicator() { return std::make_unique<SingleCommunicator>(); }

}  // namespace phasor
