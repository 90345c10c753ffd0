#include "engine/program/transfer_distance.h"

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
      phase_of_.push_back(p);
      calls_before_.push_back(static_cast<int>(call_steps_.size()));
      if (program.steps[i].kind == StepKind::call) call_steps_.push_back(i);
    }
  }
}

int TransferDistance::earliest(int load) const {
  if (depth_.of(program_.steps[load]) == 0) return load;
  if (program_.steps[load].turn >= 0) {
    const int call = calls_before_[load] - depth_.calls;
    return call >= 0 ? std::max(call_steps_[call], section_begin(load)) : section_begin(load);
  }
  const int own = phase_of_[load];
  const bool calls_precede = calls_before_[load] > calls_before_[program_.phases[own].first_step];
  const int phase = std::max(own - depth_.phases + (calls_precede ? 1 : 0), phase_of_[section_begin(load)]);
  return program_.phases[phase].first_step;
}

int TransferDistance::latest(int store) const {
  if (program_.steps[store].turn >= 0) {
    const int call = calls_before_[store] + depth_.calls;
    return call < static_cast<int>(call_steps_.size()) ? std::min(call_steps_[call], section_end(store))
                                                       : section_end(store);
  }
  const int phase = std::min(phase_of_[store] + depth_.phases, phase_of_[section_end(store) - 1]);
  return program_.phases[phase].end_step;
}

}  // namespace phasor
