// The link to remote memory as a simulation sees it: two queues that share it.
#pragma once

#include <array>
#include <deque>
#include <vector>

#include "engine/program/program.h"

namespace phasor {

class SimulatedLink {
 public:
  using Ticket = std::size_t;

  // A transfer that would take `seconds` alone. Times never go back.
  Ticket issue(double now, Queue queue, double seconds);

  // When the transfer is done, if nothing more is issued until then.
  double end_of(Ticket ticket);

 private:
  struct Transfer {
    Ticket ticket;
    double left;  // seconds alone on the link
  };

  int busy_queues() const;
  // The queue whose first transfer is done next; null where none is under way.
  std::deque<Transfer>* next_to_end();
  void run(double seconds);  // not beyond the end of a transfer

  double now_ = 0;
  std::array<std::deque<Transfer>, kQueues> queues_;
  std::vector<double> ends_;  // of each transfer that is done
};

}  // namespace phasor
