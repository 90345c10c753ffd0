// The replicas of a run and their devices: a thread of this process for each device, with a team of its own and a place
// in the group of the replicas' devices of its number.
#pragma once

#include <functional>
#include <memory>

#include "engine/collective/communicator.h"

namespace phasor {

class Replicas {
 public:
  Replicas(int count, int threads_per_device, int devices = 1);
  ~Replicas();

  int count() const { return count_; }
  int devices() const { return devices_; }  // of each
  int threads_per_device() const { return threads_; }
  // Of the replica's device.
  Communicator& communicator(int rank, int device = 0);

  // Runs work(worker) on every device's own thread and returns when all are done: worker is rank * devices() + device.
  // If one throws, the others are told through their communicators and by `abandon`, and the first one's error, of
  // which those of the others are consequences, is rethrown here.
  void run(const std::function<void(int worker)>& work, const std::function<void()>& abandon = {});

 private:
  struct Team;
  int count_, threads_, devices_;
  std::unique_ptr<Team> team_;
};

}  // namespace phasor
