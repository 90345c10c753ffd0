#include "engine/program/execute/replicas.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "engine/base/parallel.h"

namespace phasor {

// The threads wait for work, numbered by `round`, and report back when done.
struct Replicas::Team {
  Team(int count, int devices) {
    for (int device = 0; device < devices; ++device) {
      groups.push_back(std::make_unique<ThreadGroup>(count));
      singles.push_back(single_communicator());
    }
  }

  void serve(int worker, int team_size) {
    set_threads(team_size);
    for (std::uint64_t seen = 0;;) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return round != seen || stopping; });
      if (stopping) return;
      seen = round;
      const std::function<void(int)>& job = *work;
      lock.unlock();
      std::exception_ptr error;
      try {
        job(worker);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (error) {
        // The one that failed first tells why; the rest fail because of it.
        if (!first_error) first_error = error;
        for (const auto& group : groups) group->abandon();
        if (*abandon) (*abandon)();
      }
      if (--running == 0) changed.notify_all();
    }
  }

  std::vector<std::unique_ptr<ThreadGroup>> groups;    // of each device
  std::vector<std::unique_ptr<Communicator>> singles;  // likewise, where there is one replica
  std::mutex mutex;
  std::condition_variable changed;
  const std::function<void(int)>* work = nullptr;
  const std::function<void()>* abandon = nullptr;
  std::uint64_t round = 0;
  int running = 0;
  bool stopping = false;
  std::exception_ptr first_error;
  std::vector<std::jthread> threads;
};

Replicas::Replicas(int count, int threads_per_device, int devices)
    : count_(count), threads_(threads_per_device), devices_(devices), team_(std::make_unique<Team>(count, devices)) {
  for (int worker = 0; worker < count * devices; ++worker) {
    team_->threads.emplace_back([this, worker] { team_->serve(worker, threads_); });
  }
}

Replicas::~Replicas() {
  {
    const std::lock_guard lock(team_->mutex);
    team_->stopping = true;
  }
  team_->changed.notify_all();
}

Communicator& Replicas::communicator(int rank, int device) {
  return count_ == 1 ? *team_->singles[static_cast<std::size_t>(device)]
                     : team_->groups[static_cast<std::size_t>(device)]->member(rank);
}

void Replicas::run(const std::function<void(int)>& work, const std::function<void()>& abandon) {
  dismiss_team();  // the replicas' have the cores
  std::unique_lock lock(team_->mutex);
  team_->work = &work;
  team_->abandon = &abandon;
  team_->running = count_ * devices_;
  ++team_->round;
  team_->changed.notify_all();
  team_->changed.wait(lock, [&] { return team_->running == 0; });
  if (team_->first_error) std::rethrow_exception(std::exchange(team_->first_error, nullptr));
}

}  // namespace phasor
