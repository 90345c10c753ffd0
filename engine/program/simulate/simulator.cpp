#include "engine/program/simulate/simulator.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "engine/plan/cost.h"
#include "engine/program/simulate/contention.h"
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

// The messages of a link, at the times of the simulation.
struct SimulatedMessages {
  std::int32_t capacity = 1;
  std::vector<double> ready, taken;  // of each message: when it can be received; when its room is free again

  bool has_room() const { return std::ssize(ready) < std::ssize(taken) + capacity; }
  bool has_message() const { return taken.size() < ready.size(); }
  // When there was room for the next message.
  double room_since() const {
    const auto before = std::ssize(ready) - capacity;
    return before < 0 ? 0 : taken[static_cast<std::size_t>(before)];
  }
};
using SimulatedLinks = std::map<std::string, SimulatedMessages, std::less<>>;

class Simulator {
 public:
  Simulator(const Program& program, const Rates& rates, SimulatedLinks& links)
      : program_(program),
        rates_(rates),
        under_way_(program.slots.size()),
        link_({.team = static_cast<double>(rates.threads), .spare = rates.spare_cores}) {
    for (const NamedGraph& named : program.graphs) graph_seconds_.push_back(phasor::seconds_of(named.graph, rates));
    for (const Link& link : program.links) {
      messages_.push_back(&links[link.name]);
      messages_.back()->capacity = link.capacity;
    }
    result_.phases.resize(program.phases.size());
  }

  // Goes on in the section until its end, or until it has to wait for another device; returns whether it did anything.
  bool advance(Section section) {
    bool advanced = false;
    for (; phase_ < program_.phases.size() && program_.phases[phase_].section == section; ++phase_) {
      const Phase& phase = program_.phases[phase_];
      for (; phase.first_step + step_ < phase.end_step; ++step_, advanced = true) {
        const Step step = program_.steps[static_cast<std::size_t>(phase.first_step + step_)];
        if (is_message(step) && !can_move(step)) return advanced;
        visit(step);
      }
      end_span();
      step_ = 0;
      advanced = true;
    }
    return advanced;
  }
  bool is_done(Section section) const {
    return phase_ == program_.phases.size() || program_.phases[phase_].section != section;
  }

  double now() const { return link_.now(); }
  // Until all are done with the section.
  void pass(double until) {
    link_.pass(until);
    section_begin_ = span_begin_ = link_.now();
  }

  Simulation result() {
    for (std::size_t i = 0; i < program_.phases.size(); ++i) {
      if (program_.phases[i].section == Section::step) result_.step_seconds += result_.phases[i].elapsed();
    }
    return std::move(result_);
  }

 private:
  PhaseSeconds& seconds() { return result_.phases[phase_]; }

  void visit(const Step& step) {
    switch (step.kind) {
      case StepKind::load:
      case StepKind::store:
        return transfer(step);
      case StepKind::wait:
        return wait(step.slot);
      case StepKind::zero:
        return work(seconds().compute, rates_.clear.seconds(bytes(step.slot)));
      case StepKind::call:
        return work(seconds().compute, graph_seconds_[program_.calls[step.call].graph]);
      case StepKind::add_leaf:  // reads two for each that it writes
        return work(seconds().compute, rates_.clear.seconds(3 * bytes(step.slot)));
      case StepKind::gather:
        return work(seconds().collective, rates_.gather.seconds(bytes(step.target)));
      case StepKind::reduce_scatter:
        return work(seconds().collective, rates_.reduce_scatter.seconds(bytes(step.slot)));
      case StepKind::all_reduce:
        if (step.partials && program_.replicas == 1) {  // goes no further than its own memory
          return work(seconds().compute, rates_.clear.seconds(bytes(step.slot)));
        }
        return work(seconds().collective, rates_.all_reduce.seconds(bytes(step.slot)));
      case StepKind::send:
        return send(step);
      case StepKind::receive:
        return receive(step);
    }
  }

  bool can_move(const Step& step) const {
    const SimulatedMessages& messages = *messages_[step.link];
    return step.kind == StepKind::send ? messages.has_room() : messages.has_message();
  }

  // A message is copied into the link and out of it.
  void send(const Step& step) {
    SimulatedMessages& messages = *messages_[step.link];
    const auto size = static_cast<double>(message_bytes(program_, step));
    idle_until(messages.room_since());
    work(seconds().collective, rates_.clear.seconds(2 * size));
    messages.ready.push_back(link_.now() + rates_.message.seconds(size));
  }
  void receive(const Step& step) {
    SimulatedMessages& messages = *messages_[step.link];
    idle_until(messages.ready[messages.taken.size()]);
    work(seconds().collective, rates_.clear.seconds(2 * static_cast<double>(message_bytes(program_, step))));
    messages.taken.push_back(link_.now());
  }
  void idle_until(double then) {
    const double begin = link_.now();
    if (then <= begin) return;
    end_span();
    link_.pass(then);
    seconds().idle += link_.now() - begin;
    span_begin_ = link_.now();
  }

  // What has passed of the phase since the last one ended.
  void end_span() {
    const double begin = std::exchange(span_begin_, link_.now());
    if (program_.phases[phase_].section != Section::step || begin == span_begin_) return;
    result_.busy.push_back({static_cast<int>(phase_), begin - section_begin_, span_begin_ - section_begin_});
  }

  void transfer(const Step& step) {
    if (program_.slots[step.slot].mapped) return;
    const bool loads = step.kind == StepKind::load;
    const LinkRate& rate = loads ? rates_.load : rates_.store;
    const double alone = rate.seconds(bytes(step.slot));
    (loads ? seconds().load : seconds().store) += alone;
    under_way_[step.slot] = link_.issue(program_.queue_of(step), alone, rate.cores);
    if (!step.issues) wait(step.slot);
  }

  void wait(int slot) {
    const double begin = link_.now();
    link_.wait(under_way_[slot]);
    seconds().stall += link_.now() - begin;
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
  std::vector<SimulatedMessages*> messages_;      // of each link
  std::vector<SimulatedLink::Ticket> under_way_;  // of each slot: its last transfer
  SimulatedLink link_;
  std::size_t phase_ = 0;  // where it stands
  std::int32_t step_ = 0;  // of the phase
  double section_begin_ = 0, span_begin_ = 0;
  Simulation result_;
};

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

PhaseSeconds& PhaseSeconds::operator+=(const PhaseSeconds& other) {
  load += other.load;
  store += other.store;
  compute += other.compute;
  collective += other.collective;
  stall += other.stall;
  idle += other.idle;
  return *this;
}

double PipelineSimulation::idle_share(int device) const {
  const Simulation& simulation = devices[static_cast<std::size_t>(device)];
  double idle = step_seconds - simulation.step_seconds;
  for (const PhaseSeconds& phase : simulation.phases) idle += phase.idle;
  return share(idle, step_seconds);
}

double PipelineSimulation::idle_share() const {
  double sum = 0;
  for (int device = 0; device < static_cast<int>(devices.size()); ++device) sum += idle_share(device);
  return sum / static_cast<double>(devices.size());
}

namespace {

// With the rates of each device.
PipelineSimulation simulate_side_by_side(const Pipeline& pipeline, const std::vector<Rates>& rates) {
  SimulatedLinks links;
  std::vector<Simulator> devices;
  for (std::size_t i = 0; i < rates.size(); ++i) devices.emplace_back(pipeline.devices[i], rates[i], links);
  PipelineSimulation result;
  double now = 0;
  for (Section section : {Section::begin, Section::step, Section::end}) {
    // Each sees what it waits for at the time when it happened, in whichever order they are asked.
    for (bool advances = true; advances;) {
      advances = false;
      for (Simulator& device : devices) advances |= device.advance(section);
    }
    const double begin = now;
    for (const Simulator& device : devices) {
      ensure(device.is_done(section), "simulator: devices wait for each other");
      now = std::max(now, device.now());
    }
    for (Simulator& device : devices) device.pass(now);
    if (section == Section::step) result.step_seconds = now - begin;
  }
  for (Simulator& device : devices) result.devices.push_back(device.result());
  return result;
}

}  // namespace

// How long devices work side by side depends on their rates, and these on it: a few rounds settle both.
PipelineSimulation simulate(const Pipeline& pipeline, const Rates& rates) {
  constexpr int kRounds = 3;
  const bool contend = pipeline.size() > 1 && !rates.alone.empty();
  std::vector<Rates> of_devices(pipeline.devices.size(), contend ? rates.alone.front() : rates);
  PipelineSimulation simulation = simulate_side_by_side(pipeline, of_devices);
  for (int round = 0; contend && round < kRounds; ++round) {
    const std::vector<double> parts = overlaps(simulation);
    for (std::size_t i = 0; i < parts.size(); ++i) of_devices[i] = between(rates.alone.front(), rates, parts[i]);
    simulation = simulate_side_by_side(pipeline, of_devices);
  }
  return simulation;
}

Simulation simulate(const Program& program, const Rates& rates) {
  return std::move(simulate(Pipeline(program), rates).devices.front());
}

double seconds_of(const Graph& graph, const Rates& rates) {
  double seconds = 0;
  for (const Node& node : graph.nodes) seconds += seconds_of(graph, node, rates);
  return seconds;
}

}  // namespace phasor
