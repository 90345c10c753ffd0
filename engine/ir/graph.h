// A static graph of ops on tensors of known shape. Values and nodes are numbers into it, never pointers: copying,
// printing and comparing are trivial and the order is always the same.
#pragma once

#include <compare>
#include <string>
#include <vector>

#include "engine/base/tensor.h"
#include "engine/ir/attributes.h"
#include "engine/ir/op.h"

namespace phasor {

struct Value {
  std::int32_t id = -1;
  bool valid() const { return id >= 0; }
  friend auto operator<=>(const Value&, const Value&) = default;
};

struct Node {
  Op op{};
  Attributes attributes;
  std::vector<Value> inputs, outputs;
};

struct ValueInfo {
  TensorSpec spec;
  std::string name;            // for people; "" for an unnamed intermediate
  std::int32_t producer = -1;  // the node, or -1 for an input of the graph
};

// Nodes stand in an order in which every value is produced before it is used, which is also the order of execution.
struct Graph {
  std::vector<ValueInfo> values;
  std::vector<Node> nodes;
  std::vector<Value> inputs, outputs;

  const ValueInfo& operator[](Value value) const { return values[value.id]; }
  ValueInfo& operator[](Value value) { return values[value.id]; }
  const TensorSpec& spec(Value value) const { return values[value.id].spec; }

  Value add_input(TensorSpec spec, std::string name);
};

}  // namespace phasor
