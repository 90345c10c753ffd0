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
  explicit Team(int count) : group(count), single(single_communicator()) {}

  void serve(int rank, int team_size) {
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
        job(rank);
      } catch (...) {
        error = std::current_exception();
      }
      lock.lock();
      if (error) {
        // The replica that failed first tells why; the rest fail because of it.
        if (!first_error) first_error = error;
        group.abandon();
      }
      if (--running == 0) changed.notify_all();
    }
  }

  ThreadGroup group;
  std::unique_ptr<Communicator> single;
  std::mutex mutex;
  std::condition_variable changed;
  const std::function<void(int)>* work = nullptr;
  std::uint64_t round = 0;
  int running = 0;
  bool stopping = false;
  std::exception_ptr first_error;
  std::vector<std::jthread> threads;
};

Replicas::Replicas(int count, int threads_per_replica)
    : count_(count), threads_(threads_per_replica), team_(std::make_unique<Team>(count)) {
  for (int rank = 0; rank < count; ++rank) {
    team_->threads.emplace_back([this, rank] { team_->serve(rank, threads_); });
  }
}

Replicas::~Replicas() {
  {
    const std::lock_guard lock(team_->mutex);
    team_->stopping = true;
  }
  team_->changed.notify_all();
}

Communicator& Replicas::communicator(int rank) { return count_ == 1 ? *team_->single : team_->group.member(rank); }

void Replicas::run(const std::function<void(int)>& work) {
  std::unique_lock lock(team_->mutex);
  team_->work = &work;
  team_->running = count_;
  ++team_->round;
  team_->changed.notify_all();
  team_->changed.wait(lock, [&] { return team_->running == 0; });
  if (team_->first_error) std::rethrow_exception(std::exchange(team_->first_error, nullptr));
}

}  // namespace phasor
