// How far a transfer may reach over the steps around it, so that it runs beside compute.
#pragma once

#include "engine/program/program.h"

namespace phasor {

// How far transfers run ahead of compute and behind it.
struct OverlapDepth {
  OverlapDepth(int both) : phases(both), calls(both) {}  // NOLINT: a number is a depth
  OverlapDepth(int of_phases, int of_calls) : phases(of_phases), calls(of_calls) {}

  int phases = 0;  // what a phase needs once
  int calls = 0;   // what a turn of a loop needs

  int of(const Step& step) const { return step.turn >= 0 ? calls : phases; }
};

// Counts phases for what a phase needs once, and calls for what a turn of a loop needs. Neither leaves the section.
class TransferDistance {
 public:
  // The program outlives it.
  TransferDistance(const Program& program, OverlapDepth depth);

  // The step in front of which the transfers of a load can begin: the call that is depth.calls calls before the one
  // that follows the load; outside of loops the first step of the phase that is depth.phases phases earlier, where a
  // phase of which calls precede the load counts as one. At depth 0 the load itself.
  int earliest(int load) const;

  // The step in front of which a store should be done: the call behind depth.calls more calls; outside of loops the
  // first step behind the next depth.phases phases.
  int latest(int store) const;

 private:
  // The section of a step: [begin, end).
  int section_begin(int step) const { return sections_[section_of(step)].first; }
  int section_end(int step) const { return sections_[section_of(step)].second; }
  int section_of(int step) const { return static_cast<int>(program_.phases[phase_of(step)].section); }
  int phase_of(int step) const;
  int calls_before(int step) const;

  const Program& program_;
  OverlapDepth depth_;
  std::vector<int> call_steps_;  // the steps that are calls
  std::pair<int, int> sections_[kSections];
};

}  // namespace phasor
