#include "engine/lower/parts.h"

#include <algorithm>
#include <limits>

#include "engine/lower/schedule.h"
#include "engine/plan/cost.h"

namespace phasor {

namespace {

// What no part is made smaller than: an instance, or all slices of a stage.
struct Piece {
  InstanceRange instances;
  double cost = 0;  // about, of a micro-batch; in no unit
};

// What moves of the state: once a step for the update and, where phases take micro-batches in groups, once a group,
// with the sums of its gradients. Forward alone, phases load it once a group.
double bytes_of_state(double state, const ExecutionOptions& execution, bool trains) {
  constexpr double kBytesOfUpdate = 28, kBytesOfGroup = 16, kBytesOfLoad = 4;
  const double of_group = execution.mode == Mode::phased ? state / group_of(execution) : 0;
  if (!trains) return kBytesOfLoad * of_group;
  return kBytesOfUpdate * state / execution.accumulation + kBytesOfGroup * of_group;
}

// Products, the bytes around them and what moves of the state.
double cost_of_stage(const Stage& stage, const ExecutionOptions& execution, bool trains) {
  constexpr double kFlopsOfByte = 4, kPassesOfStep = 3;
  const Cost cost = cost_of(stage.graph);
  double state = 0;
  for (const Variable& variable : stage.variables) {
    if (!variable.tied_to) state += static_cast<double>(stage.graph.spec(variable.value).elements());
  }
  return (trains ? kPassesOfStep : 1) * (cost.flops + kFlopsOfByte * cost.bytes) +
         kFlopsOfByte * bytes_of_state(state, execution, trains);
}

std::vector<Piece> pieces_of(const Stages& stages, const ExecutionOptions& execution) {
  const bool trains = std::ranges::any_of(stages, [](const Stage& stage) { return stage.loss.valid(); });
  std::vector<Piece> pieces;
  int instance = 0;
  for (const Stage& stage : stages) {
    const double cost = cost_of_stage(stage, execution, trains);
    const int whole = stage.sliced() ? stage.instances : 1;
    for (int n = 0; n < stage.instances; n += whole) {
      pieces.push_back({{instance + n, instance + n + whole}, cost * whole});
    }
    instance += stage.instances;
  }
  return pieces;
}

// Where parts begin, so that the most costly costs least: best[k][i] is that of the first i pieces in k parts.
std::vector<int> even_begins(const std::vector<Piece>& pieces, int parts) {
  const int count = static_cast<int>(pieces.size());
  std::vector<double> sum{0};
  for (const Piece& piece : pieces) sum.push_back(sum.back() + piece.cost);
  constexpr double kMuch = std::numeric_limits<double>::infinity();
  std::vector best(static_cast<std::size_t>(parts) + 1, std::vector<double>(sum.size(), kMuch));
  std::vector from(best.size(), std::vector<int>(sum.size(), 0));
  best[0][0] = 0;
  for (int k = 1; k <= parts; ++k) {
    for (int i = k; i <= count; ++i) {
      for (int before = k - 1; before < i; ++before) {
        const double slowest = std::max(best[k - 1][before], sum[i] - sum[before]);
        if (slowest >= best[k][i]) continue;
        best[k][i] = slowest;
        from[k][i] = before;
      }
    }
  }
  std::vector<int> begins(static_cast<std::size_t>(parts));
  for (int k = parts, end = count; k > 0; --k) begins[k - 1] = end = from[k][end];
  return begins;
}

}  // namespace

int count_parts(const PipelineOptions& options) {
  const bool several = options.schedule == PipelineSchedule::interleaved && options.devices > 1;
  return options.devices * (several ? options.parts : 1);
}

std::vector<InstanceRange> split_model(const Stages& stages, const ExecutionOptions& execution) {
  const std::vector<Piece> pieces = pieces_of(stages, execution);
  const int parts = count_parts(execution.pipeline), count = static_cast<int>(pieces.size());
  check(parts <= count, "execution.pipeline.devices: {} parts are more than the {} stage instances of the model", parts,
        count);
  std::vector<int> begins = execution.pipeline.first_instances;
  if (begins.empty()) begins = even_begins(pieces, parts);
  const bool is_given = !execution.pipeline.first_instances.empty();
  check(static_cast<int>(begins.size()) == parts && (!is_given || execution.pipeline.instances == count),
        "execution.pipeline.stages has {} parts of {} stage instances together, expected {} of {}", begins.size(),
        execution.pipeline.instances, parts, count);
  std::vector<InstanceRange> ranges;
  for (int part = 0; part < parts; ++part) {
    const int end = part + 1 < parts ? begins[part + 1] : count;
    ranges.push_back({pieces[begins[part]].instances.first, pieces[end - 1].instances.end});
  }
  return ranges;
}

std::vector<Part> place_parts(std::span<const LoweredUnit> units, std::span<const InstanceRange> ranges,
                              const ExecutionOptions& execution) {
  std::vector<Part> parts;
  for (int k = 0; k < static_cast<int>(ranges.size()); ++k) {
    Part& part = parts.emplace_back();
    part.device = k % execution.pipeline.devices;
    if (execution.mode == Mode::monolithic) {
      part.runs.push_back({k, 0, 1});
      continue;
    }
    for (int u = 0; u < static_cast<int>(units.size()); ++u) {
      const Unit& unit = units[u].unit;
      const int first = std::max(ranges[k].first - unit.first_instance, 0);
      const int end = std::min(ranges[k].end - unit.first_instance, unit.instances);
      if (first < end) part.runs.push_back({u, first, end});
    }
  }
  return parts;
}

int device_of(std::span<const Part> parts, int unit, int instance) {
  for (const Part& part : parts) {
    for (const UnitRun& run : part.runs) {
      if (run.unit == unit && run.first <= instance && instance < run.end) return part.device;
    }
  }
  throw InternalError(fmt::format("lowering: no part has instance {} of unit {}", instance, unit));
}

}  // namespace phasor
