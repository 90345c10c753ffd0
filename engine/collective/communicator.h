// Collective operations within a group of replicas. Every member calls the same operations in the same order with equal
// sizes. Results are the same on every member and depend neither on timing nor on threads: sums over members follow one
// fixed binary tree (tree_sum.h).
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace phasor {

class Communicator {
 public:
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;

  // full = the members' shards in the order of their ranks; full.size() is size() * shard.size().
  virtual void all_gather(std::span<const std::byte> shard, std::span<std::byte> full) = 0;
  // shard = this rank's part of the sum over members of full; full.size() is size() * shard.size().
  // `full` keeps its contents.
  void reduce_scatter(std::span<const float> full, std::span<float> shard) { reduce_scatter_partials(full, 1, shard); }
  // values = the sum over members of values.
  void all_reduce(std::span<float> values) { all_reduce_partials(values, 1, values); }
  // The same over a tree of which each member has added `leaves` leaves, from the partial sums that it has of them
  // (partial_sums.h): each of as many elements as `full`, or `sum`. They keep their contents, unless `sum` takes the
  // place of a single leaf.
  virtual void reduce_scatter_partials(std::span<const float> partials, int leaves, std::span<float> shard) = 0;
  virtual void all_reduce_partials(std::span<const float> partials, int leaves, std::span<float> sum) = 0;
  // values = the root's values.
  virtual void broadcast(std::span<std::byte> values, int root) = 0;
  // Returns when every member has called it.
  virtual void barrier() = 0;
};

// A group of one.
std::unique_ptr<Communicator> single_communicator();

// A group of `size` threads of this process; member r is for the thread of rank r. If one member is destroyed or
// abandoned in the middle of an operation the others must be told by abandon().
class ThreadGroup {
 public:
  explicit ThreadGroup(int size);
  ~ThreadGroup();

  Communicator& member(int rank);
  // Makes every operation under way and every later one throw InternalError: called where one member fails, so that
  // the others do not wait for it for ever. May be called from any thread.
  void abandon();

 private:
  struct Shared;
  class Member;
  std::unique_ptr<Shared> shared_;
  std::vector<std::unique_ptr<Member>> members_;
};

}  // namespace phasor
