// How far a transfer may reach over the steps around it, so that it runs beside compute.
#pragma once

#include "engine/program/program.h"

namespace phasor {

// Counts phases for what a phase needs once, and calls for what a turn of a loop needs. Neither leaves the section.
class TransferDistance {
 public:
  // The program outlives it.
  TransferDistance(const Program& program, int depth);

  // The step in front of which the transfers of a load can begin: the call that is `depth` calls before the one that
  // follows the load; outside of loops the first step of the phase that is `depth` phases earlier, where a
  // phase of which calls precede the load counts as one.
  int earliest(int load) const;

  // The step in front of which a store should be done: the call behind `depth` more calls; outside of loops the
  // first step behind the next `depth` phases.
  int latest(int store) const;

 private:
  // The section of a step: [begin, end).
  int section_begin(int step) const { return sections_[section_of(step)].first; }
  int section_end(int step) const { return sections_[section_of(step)].second; }
  int section_of(int step) const { return static_cast<int>(program_.phases[phase_of_[step]].section); }

  const Program& program_;
  int depth_;
  std::vector<int> phase_of_;      // of each step
  std::vector<int> call_steps_;    // the steps that are calls
  std::vector<int> calls_before_;  // each step
  std::pair<int, int> sections_[kSections];
};

}  // namespace phasor
