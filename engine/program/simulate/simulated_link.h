// The link to remote memory as a simulation sees it: two queues that share it, beside compute that shares the cores.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "engine/program/program.h"

namespace phasor {

// What a replica has to compute and to copy with.
struct SimulatedCores {
  double team = 1;   // busy while the replica computes
  double spare = 0;  // for others
};

class SimulatedLink {
 public:
  using Ticket = std::size_t;

  explicit SimulatedLink(SimulatedCores cores = {}) : cores_(cores) {}

  double now() const { return now_; }

  // A transfer that would take `seconds` alone, and so many cores meanwhile, begins.
  Ticket issue(Queue queue, double seconds, double cores = 0);

  // Time passes until the transfer is done, if it is not yet, and nothing computes.
  void wait(Ticket ticket);

  // Time passes until then, if it has not yet, and nothing computes.
  void pass(double until);

  // Time passes until compute is done that would take `seconds` alone. Where it and the transfers under way want more
  // cores than there are, as threads of both do, each gets an equal part of what it wants.
  void compute(double seconds);

 private:
  struct Transfer {
    Ticket ticket;
    double left;  // seconds alone on the link
    double cores;
  };

  int busy_queues() const;
  // The queue whose first transfer is done next; null where none is under way.
  std::deque<Transfer>* next_to_end();
  double speed_beside_compute() const;
  // Not beyond the end of a transfer; the link moves at `speed`.
  void run(double seconds, double speed = 1);
  void finish(std::deque<Transfer>& queue);

  SimulatedCores cores_;
  double now_ = 0;
  std::array<std::deque<Transfer>, kQueues> queues_;
  std::vector<bool> done_;  // of each transfer
};

}  // namespace phasor
