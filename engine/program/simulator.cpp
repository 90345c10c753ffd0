#include "engine/program/simulator.h"

#include "engine/plan/cost.h"
#include "engine/plan/node_sample.h"
#include "engine/program/simulated_link.h"

namespace phasor {

namespace {

double seconds_at(double work, double per_second) { return per_second > 0 ? work / per_second : 0; }

double seconds_of(const Graph& graph, const Node& node, const Rates& rates) {
  if (!rates.nodes.empty()) {
    const auto rate = rates.nodes.find(name_of(sample_of(graph, node, rates.threads)));
    if (rate != rates.nodes.end()) return seconds_at(work_of(graph, node), rate->second);
  }
  const Cost cost = cost_of(graph, node);
  return seconds_at(cost.flops, rates.product_flops_per_second) + seconds_at(cost.bytes, rates.memory_bytes_per_second);
}

class Simulator {
 public:
  Simulator(const Program& program, const Rates& rates)
      : program_(program), rates_(rates), under_way_(program.slots.size()) {
    for (const NamedGraph& named : program.graphs) graph_seconds_.push_back(phasor::seconds_of(named.graph, rates));
  }

  Simulation run() {
    Simulation result;
    for (const Phase& phase : program_.phases) {
      phase_ = {};
      for (int i = phase.first_step; i < phase.end_step; ++i) visit(program_.steps[i]);
      if (phase.section == Section::step) result.step_seconds += phase_.elapsed();
      result.phases.push_back(phase_);
    }
    return result;
  }

 private:
  void visit(const Step& step) {
    switch (step.kind) {
      case StepKind::load:
      case StepKind::store:
        return transfer(step);
      case StepKind::wait:
        return wait(step.slot);
      case StepKind::zero:
        return spend(phase_.compute, rates_.clear.seconds(bytes(step.slot)));
      case StepKind::call:
        return spend(phase_.compute, graph_seconds_[program_.calls[step.call].graph]);
      case StepKind::gather:
        return spend(phase_.collective, rates_.gather.seconds(bytes(step.target)));
      case StepKind::reduce_scatter:
        return spend(phase_.collective, rates_.reduce_scatter.seconds(bytes(step.slot)));
      case StepKind::all_reduce:
        return spend(phase_.collective, rates_.all_reduce.seconds(bytes(step.slot)));
    }
  }

  void transfer(const Step& step) {
    const bool loads = step.kind == StepKind::load;
    const double alone = (loads ? rates_.load : rates_.store).seconds(bytes(step.slot));
    (loads ? phase_.load : phase_.store) += alone;
    under_way_[step.slot] = link_.issue(now_, program_.queue_of(step), alone);
    if (!step.issues) wait(step.slot);
  }

  void wait(int slot) { spend(phase_.stall, std::max(0.0, link_.end_of(under_way_[slot]) - now_)); }

  void spend(double& seconds_of_phase, double seconds) {
    seconds_of_phase += seconds;
    now_ += seconds;
  }

  double bytes(int slot) const { return static_cast<double>(program_.slots[slot].bytes); }

  const Program& program_;
  const Rates& rates_;
  std::vector<double> graph_seconds_;
  std::vector<SimulatedLink::Ticket> under_way_;  // of each slot: its last transfer
  SimulatedLink link_;
  PhaseSeconds phase_;
  double now_ = 0;
};

}  // namespace

PhaseSeconds& PhaseSeconds::operator+=(const PhaseSeconds& other) {
  load += other.load;
  store += other.store;
  compute += other.compute;
  collective += other.collective;
  stall += other.stall;
  return *this;
}

Simulation simulate(const Program& program, const Rates& rates) { return Simulator(program, rates).run(); }

double seconds_of(const Graph& graph, const Rates& rates) {
  double seconds = 0;
  for (const Node& node : graph.nodes) seconds += seconds_of(graph, node, rates);
  return seconds;
}

}  // namespace phasor
