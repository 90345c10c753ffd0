#include "engine/program/overlap/transfer_distance.h"

#include <algorithm>

namespace phasor {

TransferDistance::TransferDistance(const Program& program, OverlapDepth depth)
    : program_(program),
      depth_(std::min(depth.phases, static_cast<int>(program.steps.size())),
             std::min(depth.calls, static_cast<int>(program.steps.size()))) {
  for (int p = 0; p < static_cast<int>(program.phases.size()); ++p) {
    const Phase& phase = program.phases[p];
    auto& [begin, end] = sections_[static_cast<int>(phase.section)];
    if (p == 0 || phase.section != program.phases[p - 1].section) begin = phase.first_step;
    end = phase.end_step;
    for (int i = phase.first_step; i < phase.end_step; ++i) {
      if (program.steps[i].kind == StepKind::call) call_steps_.push_back(i);
    }
  }
}

// A phase without steps begins where the next one does.
int TransferDistance::phase_of(int step) const {
  const auto next = std::ranges::upper_bound(program_.phases, step, {}, &Phase::first_step);
  return static_cast<int>(next - program_.phases.begin()) - 1;
}

int TransferDistance::calls_before(int step) const {
  return static_cast<int>(std::ranges::lower_bound(call_steps_, step) - call_steps_.begin());
}

int TransferDistance::earliest(int load) const {
  if (depth_.of(program_.steps[load]) == 0) return load;
  if (program_.steps[load].turn >= 0) {
    const int call = calls_before(load) - depth_.calls;
    return call >= 0 ? std::max(call_steps_[call], section_begin(load)) : section_begin(load);
  }
  const int own = phase_of(load);
  const bool calls_precede = calls_before(load) > calls_before(program_.phases[own].first_step);
  const int phase = std::max(own - depth_.phases + (calls_precede ? 1 : 0), phase_of(section_begin(load)));
  return program_.phases[phase].first_step;
}

int TransferDistance::latest(int store) const {
  if (program_.steps[store].turn >= 0) {
    const int call = calls_before(store) + depth_.calls;
    return call < static_cast<int>(call_steps_.size()) ? std::min(call_steps_[call], section_end(store))
                                                       : section_end(store);
  }
  const int phase = std::min(phase_of(store) + depth_.phases, phase_of(section_end(store) - 1));
  return program_.phases[phase].end_step;
}

}  // namespace phasor
