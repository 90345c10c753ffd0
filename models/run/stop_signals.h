// SIGINT and SIGTERM as a wish to end soon, for work that can end between two of its steps.
#pragma once

namespace phasor::run {

// While the object lives, the first of the signals is only noted; the second ends the process at once, as it would
// without the object. One object at a time in a process.
class StopSignals {
 public:
  StopSignals();
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

  // The number of the signal that came; 0: none.
  int received() const;
};

}  // namespace phasor::run
