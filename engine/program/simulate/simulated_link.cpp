#include "engine/program/simulate/simulated_link.h"

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

double SimulatedLink::speed_beside_compute() const {
  double wanted = cores_.team;
  for (const auto& queue : queues_) {
    if (!queue.empty()) wanted += queue.front().cores / busy_queues();
  }
  return std::min(1.0, (cores_.team + cores_.spare) / wanted);
}

void SimulatedLink::run(double seconds, double speed) {
  const double share = seconds * speed / std::max(1, busy_queues());
  for (auto& queue : queues_) {
    if (!queue.empty()) queue.front().left -= share;
  }
  now_ += seconds;
}

void SimulatedLink::finish(std::deque<Transfer>& queue) {
  done_[queue.front().ticket] = true;
  queue.pop_front();
}

SimulatedLink::Ticket SimulatedLink::issue(Queue queue, double seconds, double cores) {
  queues_[static_cast<std::size_t>(queue)].push_back({done_.size(), seconds, cores});
  done_.push_back(false);
  return done_.size() - 1;
}

void SimulatedLink::wait(Ticket ticket) {
  while (!done_[ticket]) {
    std::deque<Transfer>& next = *next_to_end();
    run(next.front().left * busy_queues());
    finish(next);
  }
}

void SimulatedLink::pass(double until) {
  for (auto* next = next_to_end(); next != nullptr; next = next_to_end()) {
    const double done = now_ + next->front().left * busy_queues();
    if (done > until) break;
    run(done - now_);
    finish(*next);
  }
  if (until > now_) run(until - now_);
}

void SimulatedLink::compute(double seconds) {
  for (auto* next = next_to_end(); next != nullptr; next = next_to_end()) {
    const double of_compute = next->front().left * busy_queues();  // that is done when the transfer is
    if (of_compute > seconds) break;
    const double speed = speed_beside_compute();
    run(of_compute / speed, speed);
    finish(*next);
    seconds -= of_compute;
  }
  const double speed = speed_beside_compute();
  run(seconds / speed, speed);
}

}  // namespace phasor
