#include "engine/lower/part_ends.h"

#include <algorithm>

namespace phasor {

namespace {

bool is_front(const LoweringContext& context, const PartPass& pass) {
  return pass.run.unit == context.parts[pass.part].runs.front().unit;
}
bool is_back(const LoweringContext& context, const PartPass& pass) {
  return pass.run.unit == context.parts[pass.part].runs.back().unit;
}
bool has_port(const std::vector<Port>& ports, Role role) { return std::ranges::count(ports, role, &Port::role) > 0; }

// Messages that may be under way. Where the last part is the loss's unit alone, it takes a group backward as soon as it
// has it, since its forward part runs with its gradient; where all groups go forward first, those in front of it do not
// wait for that, and take nothing back until then.
int capacity_behind(const LoweringContext& context, int part) {
  const ExecutionOptions& execution = context.execution;
  const int group = group_of(execution), all = execution.accumulation;
  const bool is_last = part + 2 == static_cast<int>(context.parts.size());
  const bool turns_back_at_once = context.units[context.parts[part + 1].runs.front().unit].unit.loss.valid();
  if (is_last && turns_back_at_once && group < all && execution.pipeline.schedule == PipelineSchedule::gpipe) {
    return all;
  }
  return group == all ? 2 : 2 * group;
}

// Of the activation behind part `part`, or of its gradient.
PhaseEnd end_behind(const LoweringContext& context, int part, bool backward, bool is_stored) {
  const int from = context.parts[part].device, to = context.parts[part + 1].device;
  return {.link = {.name = fmt::format("{}{}", backward ? "dx" : "x", part),
                   .from = backward ? to : from,
                   .to = backward ? from : to,
                   .bytes = 0,
                   .capacity = capacity_behind(context, part)},
          .is_stored = is_stored};
}

}  // namespace

PhaseEnds forward_ends(const LoweringContext& context, const PartPass& pass, const LoweredUnit& unit, int n) {
  const std::vector<Port>& later = unit.graphs(n).gradient.inputs;
  PhaseEnds ends;
  ends.shares_y = unit.unit.sliced && pass.part + 1 < std::ssize(context.parts) && is_back(context, pass);
  if (pass.part > 0 && is_front(context, pass) && n == pass.run.first) {
    ends.x = end_behind(context, pass.part - 1, false, unit.unit.sliced || has_port(later, Role::x));
  }
  if (pass.part + 1 < std::ssize(context.parts) && is_back(context, pass) && n == pass.run.end - 1) {
    ends.y = end_behind(context, pass.part, false, has_port(later, Role::y));
  }
  return ends;
}
PhaseEnds gradient_ends(const LoweringContext& context, const PartPass& pass, const LoweredUnit& unit, int n) {
  const bool runs_first = n == pass.run.end - 1, is_read_again = unit.unit.sliced && pass.run.first < n;
  PhaseEnds ends;
  ends.shares_dx = unit.unit.sliced && pass.part > 0 && is_front(context, pass);
  if (pass.part > 0 && is_front(context, pass)) {
    if (unit.unit.loss.valid() && runs_first) ends.x = end_behind(context, pass.part - 1, false, is_read_again);
    if (n == pass.run.first) ends.dx = end_behind(context, pass.part - 1, true, false);
  }
  if (pass.part + 1 < std::ssize(context.parts) && is_back(context, pass) && runs_first) {
    ends.dy = end_behind(context, pass.part, true, is_read_again);
  }
  return ends;
}

}  // namespace phasor
