// The operands of a node by the names that the op table gives them, looked up while compiling: in["gamma"]. A name that
// the op does not have does not compile.
#pragma once

#include "engine/ir/graph.h"
#include "engine/ir/op_table.h"

namespace phasor {

template <Op op>
struct InputName {
  // Implicit: where one is asked for, a literal names it.
  consteval InputName(const char* name) {
    constexpr std::size_t kCount = op_info(op).count_inputs();
    while (number < kCount && op_info(op).inputs[number].name != name) ++number;
    if (number == kCount) throw "the op has no input of that name";
  }
  std::size_t number = 0;
};

template <Op op>
struct OutputName {
  consteval OutputName(const char* name) {
    constexpr std::size_t kCount = op_info(op).count_outputs();
    while (number < kCount && op_info(op).outputs[number] != name) ++number;
    if (number == kCount) throw "the op has no output of that name";
  }
  std::size_t number = 0;
};

// A view of what a node of `op` has for inputs: values, their specs, or tensors. What is viewed outlives it.
template <Op op, class T>
class Inputs {
 public:
  explicit Inputs(std::span<const T> inputs) : inputs_(inputs) {}
  const T& operator[](InputName<op> name) const { return inputs_[name.number]; }
  // Whether the node has that optional input.
  bool has(InputName<op> name) const { return name.number < inputs_.size(); }
  // The input, or what a T is that stands for nothing.
  T optional(InputName<op> name) const { return has(name) ? inputs_[name.number] : T{}; }

 private:
  std::span<const T> inputs_;
};

template <Op op, class T>
class Outputs {
 public:
  explicit Outputs(std::span<const T> outputs) : outputs_(outputs) {}
  const T& operator[](OutputName<op> name) const { return outputs_[name.number]; }

 private:
  std::span<const T> outputs_;
};

template <Op op>
Inputs<op, Value> inputs_of(const Node& node) {
  return Inputs<op, Value>(node.inputs);
}
template <Op op>
Outputs<op, Value> outputs_of(const Node& node) {
  return Outputs<op, Value>(node.outputs);
}

}  // namespace phasor
