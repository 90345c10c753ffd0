#include "models/run/stop_signals.h"

#include <array>
#include <atomic>
#include <csignal>

namespace phasor::run {

namespace {

constexpr std::array kSignals{SIGINT, SIGTERM};

// All that a handler may know.
std::atomic<int> signal_received = 0;
static_assert(std::atomic<int>::is_always_lock_free);
std::array<struct sigaction, kSignals.size()> actions_before;

void note(int number) {
  signal_received = number;
  for (const int other : kSignals) std::signal(other, SIG_DFL);
}

}  // namespace

StopSignals::StopSignals() {
  signal_received = 0;
  struct sigaction action {};
  action.sa_handler = note;
  action.sa_flags = SA_RESTART;  // reads and writes under way are not the signal's business
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    sigaction(kSignals[i], nullptr, &actions_before[i]);
    // A shell lets what it starts in the background ignore them.
    if (actions_before[i].sa_handler != SIG_IGN) sigaction(kSignals[i], &action, nullptr);
  }
}

StopSignals::~StopSignals() {
  for (std::size_t i = 0; i < kSignals.size(); ++i) sigaction(kSignals[i], &actions_before[i], nullptr);
}

int StopSignals::received() const { return signal_received; }

}  // namespace phasor::run
