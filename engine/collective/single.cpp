#include <algorithm>

#include "engine/collective/communicator.h"

namespace phasor {

namespace {

class SingleCommunicator : public Communicator {
 public:
  int rank() const override { return 0; }
  int size() const override { return 1; }
  void all_gather(std::span<const std::byte> shard, std::span<std::byte> full) override {
    if (shard.data() != full.data()) std::copy(shard.begin(), shard.end(), full.begin());
  }
  void reduce_scatter(std::span<const float> full, std::span<float> shard) override {
    if (shard.data() != full.data()) std::copy(full.begin(), full.end(), shard.begin());
  }
  void all_reduce(std::span<float>) override {}
  void broadcast(std::span<std::byte>, int) override {}
  void barrier() override {}
};

}  // namespace

std::unique_ptr<Communicator> single_communicator() { return std::make_unique<SingleCommunicator>(); }

}  // namespace phasor
