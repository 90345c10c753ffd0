// Names what the calls of a program compute by what it is to the model, so that every execution has the same names:
// "layer.3.output.dense", and "d layer.3.output.dense" for its gradient.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/ir/stage.h"
#include "engine/program/execute/call_observer.h"

namespace phasor::run {

// A value of a micro-batch that a replica has read or made.
struct ObservedValue {
  std::string name;
  std::string phase;       // "gradient layer 3"
  std::int64_t order = 0;  // among the values of the replica's step, as they come
  int replica = 0;
  int micro_batch = 0;  // of the step
  bool read = false;    // it is an input of the call: loaded, or made by another
  bool sums = false;    // it is the sum over the replica's micro-batches so far: the gradient of a variable
  const Graph* graph = nullptr;
  const Node* node = nullptr;  // of it, that made the value
  TensorView tensor;           // what is written to it is what later nodes read; not of what is read
};

// Of one replica. Sees what forward and gradient graphs read and make of each micro-batch, and the weights that are
// laid out for them; not what sliced stages do inside, whose parts other executions do not have.
class ValueObserver : public CallObserver {
 public:
  using See = std::function<void(const ObservedValue& value)>;

  // Prepared stages (lowering.h), which outlive the observer. `see` is called on the replica's thread.
  ValueObserver(const Stages& stages, See see);

  // The next value is the first of a step.
  void begin_step() { order_ = 0; }

  void call(const CallPlace& place) override;
  void begin(const Graph& graph, std::span<const TensorView> inputs) override;
  void made(const Graph& graph, const Node& node, std::span<const TensorView> outputs) override;

 private:
  std::string full_name(const std::string& name) const;
  std::string made_by(int instance) const;  // the name of the activation that an instance of the model makes
  void see(const std::string& name, bool sums, const TensorView& tensor);

  struct Instance {
    int stage = 0, number = 0;
  };

  const Stages& stages_;
  See see_;
  std::vector<Instance> instances_;  // of the model
  std::int64_t order_ = 0;
  ObservedValue now_;     // of the call under way
  bool watched_ = false;  // whether its values are seen
  bool packs_ = false;    // whether it lays out weights
  int instance_ = -1;     // into instances_; -1: the call is of the whole model
};

// "gradient layer 3", or "gradient head" where there is one instance.
std::string phase_text(const Phase& phase);

}  // namespace phasor::run
