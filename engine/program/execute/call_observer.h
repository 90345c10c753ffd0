// Sees what a program's calls compute, and where in the program they stand.
#pragma once

#include "engine/program/program.h"
#include "engine/runtime/node_observer.h"

namespace phasor {

// A call of a program that runs.
struct CallPlace {
  const Program& program;
  const Phase& phase;
  const NamedGraph& graph;
  int replica = 0;
  int micro_batch = -1;   // of the replica; -1: the call serves all
  int micro_batches = 0;  // that each replica has in this run
};

class CallObserver : public NodeObserver {
 public:
  // Before the call's graph begins.
  virtual void call(const CallPlace& place) = 0;
};

}  // namespace phasor
