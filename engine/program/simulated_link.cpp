#include "engine/program/simulated_link.h"

#include <algorithm>

namespace phasor {

int SimulatedLink::busy_queues() const {
  return static_cast<int>(std::ranges::count_if(queues_, [](const auto& queue) { return !queue.empty(); }));
}

std::deque<SimulatedLink::Transfer>* SimulatedLink::next_to_end() {
  std::deque<Transfer>* next = nullptr;
  for (auto& queue : queues_) {
    if (!queue.empty() && (next == nullptr || queue.front().left < next->front().left)) next = &queue;
  }
  return next;
}

void SimulatedLink::run(double seconds) {
  const double share = seconds / std::max(1, busy_queues());
  for (auto& queue : queues_) {
    if (!queue.empty()) queue.front().left -= share;
  }
  now_ += seconds;
}

SimulatedLink::Ticket SimulatedLink::issue(double now, Queue queue, double seconds) {
  for (auto* next = next_to_end(); next != nullptr; next = next_to_end()) {
    const double until_end = next->front().left * busy_queues();
    if (now_ + until_end > now) break;
    end_of(next->front().ticket);
  }
  run(std::max(0.0, now - now_));
  queues_[static_cast<std::size_t>(queue)].push_back({ends_.size(), seconds});
  ends_.push_back(-1);
  return ends_.size() - 1;
}

double SimulatedLink::end_of(Ticket ticket) {
  while (ends_[ticket] < 0) {
    std::deque<Transfer>& next = *next_to_end();
    run(next.front().left * busy_queues());
    ends_[next.front().ticket] = now_;
    next.pop_front();
  }
  return ends_[ticket];
}

}  // namespace phasor
