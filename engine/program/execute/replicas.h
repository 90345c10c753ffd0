// The replicas of a run: threads of this process, each with a team of its own and a place in the group.
#pragma once

#include <functional>
#include <memory>

#include "engine/collective/communicator.h"

namespace phasor {

class Replicas {
 public:
  Replicas(int count, int threads_per_replica);
  ~Replicas();

  int count() const { return count_; }
  int threads_per_replica() const { return threads_; }
  Communicator& communicator(int rank);

  // Runs work(rank) on every replica's own thread and returns when all are done. If one throws, the others are told
  // through their communicator, and the first replica's error that is not such a consequence is rethrown here.
  void run(const std::function<void(int rank)>& work);

 private:
  struct Team;
  int count_, threads_;
  std::unique_ptr<Team> team_;
};

}  // namespace phasor
