// Predicts how long a program takes from the rates of a machine: a pure walk over its steps.
#pragma once

#include <vector>

#include "engine/program/pipeline.h"
#include "engine/program/simulate/rates.h"

namespace phasor {

// Where one device's time goes. A transfer counts in the phase that begins it, however long it runs beside compute.
struct PhaseSeconds {
  double load = 0, store = 0;  // that transfers would take alone, one after the other
  double compute = 0;          // in calls and zeros
  double collective = 0;       // and in messages to and from other devices
  double stall = 0;            // waiting for transfers
  double idle = 0;             // waiting for other devices

  // By the clock, from the phase's first step to its last.
  double elapsed() const { return compute + collective + stall + idle; }
  PhaseSeconds& operator+=(const PhaseSeconds& other);
};

// A stretch of time in which a device works on a phase without waiting for another device: seconds from the beginning
// of the section on.
struct BusySpan {
  int phase = 0;
  double begin = 0, end = 0;
};

struct Simulation {
  std::vector<PhaseSeconds> phases;  // of each of the program's phases
  std::vector<BusySpan> busy;        // of section `step`, one behind the other
  double step_seconds = 0;           // of section `step`
};

// Every replica does the same at the same time. Transfers of a queue run in the order of issue; the two queues share
// one link evenly while both are busy. A transfer that is under way costs compute nothing as far as it keeps no cores
// busy (LinkRate::cores) or there are spare ones; those that copy for it do not compute.
Simulation simulate(const Program& program, const Rates& rates);

// The devices of a pipeline side by side, each by itself but for what it waits for and, where it is known how fast one
// is alone (Rates::alone), for the part of its time in which the others slow it down.
struct PipelineSimulation {
  std::vector<Simulation> devices;
  double step_seconds = 0;  // until the last device is done

  // What a device does nothing in, of the step: it waits for others, or has ended before them.
  double idle_share(int device) const;
  // Of all devices together.
  double idle_share() const;
};
PipelineSimulation simulate(const Pipeline& pipeline, const Rates& rates);

// What running the graph once takes.
double seconds_of(const Graph& graph, const Rates& rates);

}  // namespace phasor
