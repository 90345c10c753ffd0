#include "engine/program/simulate/simulator.h"

#include "engine/plan/cost.h"
#include "engine/program/simulate/node_sample.h"
#include "engine/program/simulate/simulated_link.h"

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
      : program_(program),
        rates_(rates),
        under_way_(program.slots.size()),
        link_({.team = static_cast<double>(rates.threads), .spare = rates.spare_cores}) {
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
        return work(phase_.compute, rates_.clear.seconds(bytes(step.slot)));
      case StepKind::call:
        return work(phase_.compute, graph_seconds_[program_.calls[step.call].graph]);
      case StepKind::add_leaf:  // reads two for each that it writes
        return work(phase_.compute, rates_.clear.seconds(3 * bytes(step.slot)));
      case StepKind::gather:
        return work(phase_.collective, rates_.gather.seconds(bytes(step.target)));
      case StepKind::reduce_scatter:
        return work(phase_.collective, rates_.reduce_scatter.seconds(bytes(step.slot)));
      case StepKind::all_reduce:
        if (step.partials && program_.replicas == 1) {  // goes no further than its own memory
          return work(phase_.compute, rates_.clear.seconds(bytes(step.slot)));
        }
        return work(phase_.collective, rates_.all_reduce.seconds(bytes(step.slot)));
    }
  }

  void transfer(const Step& step) {
    const bool loads = step.kind == StepKind::load;
    const LinkRate& rate = loads ? rates_.load : rates_.store;
    const double alone = rate.seconds(bytes(step.slot));
    (loads ? phase_.load : phase_.store) += alone;
    under_way_[step.slot] = link_.issue(program_.queue_of(step), alone, rate.cores);
    if (!step.issues) wait(step.slot);
  }

  void wait(int slot) {
    const double begin = link_.now();
    link_.wait(under_way_[slot]);
    phase_.stall += link_.now() - begin;
  }

  // The team is busy for so long, if nobody else wants its cores.
  void work(double& seconds_of_phase, double alone) {
    const double begin = link_.now();
    link_.compute(alone);
    seconds_of_phase += link_.now() - begin;
  }

  double bytes(int slot) const { return static_cast<double>(program_.slots[slot].bytes); }

  const Program& program_;
  const Rates& rates_;
  std::vector<double> graph_seconds_;
  std::vector<SimulatedLink::Ticket> under_way_;  // of each slot: its last transfer
  SimulatedLink link_;
  PhaseSeconds phase_;
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
