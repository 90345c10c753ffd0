// Writes a stage: a Builder that can also declare variables, batch inputs and the other roles of a graph's inputs.
#pragma once

#include <string>

#include "engine/ir/builder.h"
#include "engine/ir/stage.h"

namespace phasor {

class StageBuilder : public Builder {
 public:
  explicit StageBuilder(Stage& stage) : Builder(stage.graph), stage_(stage) {}

  Value variable(const std::string& name, const Shape& shape, Initialiser initialiser, bool decays);
  // One that reads another's state (Variable::tied_to).
  Value tied_variable(const std::string& name, const Shape& shape, VariableName owner);
  Value batch(const std::string& name, TensorSpec spec);
  Value activation_in(TensorSpec spec);
  Value partial_in(TensorSpec spec);
  // State that goes on from run to run (Stage::carried): first what came in, then what goes on.
  Value carried_in(const std::string& name, TensorSpec spec);
  void carried_out(const std::string& name, Value after);
  void activation_out(Value y);
  void loss(Value loss);
  void result(const std::string& name, Value value);

  // The position for random draws, and a site number that no other draw of this stage has. Throws InternalError where
  // the stage has no more (base/random.h).
  Value position();
  std::int64_t new_site();

  Stage& stage() { return stage_; }

 private:
  Stage& stage_;
  std::int64_t sites_ = 0;
};

}  // namespace phasor
