// The state of a model's variables in remote memory, seen from the host: whole, whatever its placement.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "engine/ir/stage.h"
#include "engine/lower/units/options.h"
#include "engine/lower/units/placement.h"
#include "engine/remote/remote_buffer.h"

namespace phasor {

// One tensor under its canonical name: an equal part, along the first dimension, of a variable of one stage instance,
// or of the slices of a sliced stage together.
struct CanonicalTensor {
  std::string name;  // "bert.encoder.layer.3.attention.self.query.weight"
  Shape shape;
  int stage = 0, instance = 0, variable = 0;
  int slices = 1;                  // instances from that one on, whose variables lie one behind the other
  std::int64_t first_element = 0;  // within the variable or variables
};

// In the order of stages, instances, variables and parts; a tied variable is the one that it is tied to.
std::vector<CanonicalTensor> canonical_tensors(const Stages& stages);

class ModelState {
 public:
  // Opens the buffers of all variables, which are placed as place_variable says, for what the optimizer keeps of them.
  // The memory outlives the state; no program runs while it is used.
  ModelState(const Stages& stages, RemoteMemory& memory, std::int64_t rts_threshold,
             const OptimizerOptions& optimizer = {});

  // The tensor as that state has it: of moments that are factored (Matrices) the numbers of rows, then of columns, of
  // the tensor's matrix. Tensors are given as weights are, below.
  CanonicalTensor kept(StateKind kind, const CanonicalTensor& tensor) const;

  // Whether there is such a state of the tensor's variable. Else it reads as zeros, and writing it does nothing.
  bool keeps(StateKind kind, const CanonicalTensor& tensor) const { return keeps(kind, tensor.stage, tensor.variable); }

  // Weights as their initialisers say, each a function of the seed and its place in the model, drawn by all of this
  // thread's threads (base/parallel.h); moments zero.
  void initialise(std::uint64_t seed);

  // A whole variable of one stage instance: weights, moments or gradients. Writing a weight renews its rounded copy.
  std::vector<float> read(StateKind kind, int stage, int instance, int variable) const;
  // The same into `values`, whose memory is used again.
  void read(StateKind kind, int stage, int instance, int variable, std::vector<float>& values) const;
  void write(StateKind kind, int stage, int instance, int variable, std::span<const float> values);

  // The variable that a canonical tensor is a part of, the slices of a sliced one behind each other. `values` may end
  // where the tensors do, in front of the last slice's padding.
  void read_whole(StateKind kind, const CanonicalTensor& tensor, std::vector<float>& values) const;
  void write_whole(StateKind kind, const CanonicalTensor& tensor, std::span<const float> values);

  // Elements [first, first + values.size()) of a canonical tensor. Any thread, several at once, while nobody writes.
  void read_part(StateKind kind, const CanonicalTensor& tensor, std::int64_t first, std::span<float> values) const;
  // A canonical tensor. Writing replaces its part of the variables and keeps the rest.
  std::vector<float> read(StateKind kind, const CanonicalTensor& tensor) const;
  void write(StateKind kind, const CanonicalTensor& tensor, std::span<const float> values);

 private:
  struct Place {
    RemoteBuffer& buffer;
    Placement placement;
  };
  Place place(StateKind kind, int stage, int variable) const;
  // Of the state's numbers.
  Placement placement(StateKind kind, int stage, int variable) const;
  bool keeps(StateKind kind, int stage, int variable) const;
  // Every replica's part of a whole variable, in the type of the kind of state.
  template <class T>
  void load_parts(StateKind kind, int stage, int instance, int variable, std::vector<T>& values) const;
  template <class T>
  void store_parts(StateKind kind, int stage, int instance, int variable, std::span<const float> values);

  const Stages& stages_;
  RemoteMemory& memory_;
  std::int64_t rts_threshold_;
  OptimizerOptions optimizer_;
};

}  // namespace phasor
