// A node that the reference executor runs: its operands by their numbers, and what it knows besides.
#pragma once

#include <variant>

#include "engine/base/random.h"
#include "engine/base/segments.h"
#include "engine/ir/graph.h"
#include "engine/ir/records.h"
#include "engine/kernels/reference/elementwise.h"
#include "tests/support/elements.h"

namespace phasor::test::reference_ops {

// T is double or std::complex<double>. Outlived by what it is made of.
template <class T>
class RunningNode {
 public:
  RunningNode(const Graph& graph, const Node& node, std::vector<Elements<T>>& values)
      : graph_(graph), node_(node), values_(values) {}

  template <class A>
  const A& attributes() const {
    return std::get<A>(node_.attributes);
  }
  Op op() const { return node_.op; }
  int inputs() const { return static_cast<int>(node_.inputs.size()); }
  bool has(int k) const { return k < inputs(); }

  const Shape& shape_in(int k) const { return graph_.spec(node_.inputs[k]).shape; }
  const Shape& shape_out(int k) const { return graph_.spec(node_.outputs[k]).shape; }

  std::span<const T> in(int k) const { return values_[node_.inputs[k].id].reals; }
  std::span<T> out(int k) { return values_[node_.outputs[k].id].reals; }
  std::span<const std::int32_t> ids(int k) const { return values_[node_.inputs[k].id].ids; }
  std::span<std::int32_t> ids_out(int k) { return values_[node_.outputs[k].id].ids; }
  std::span<const std::uint8_t> bytes(int k) const { return values_[node_.inputs[k].id].bytes; }
  std::span<std::uint8_t> bytes_out(int k) { return values_[node_.outputs[k].id].bytes; }
  const std::vector<std::int64_t>& longs(int k) const { return values_[node_.inputs[k].id].longs; }
  std::vector<std::int64_t>& longs_out(int k) { return values_[node_.outputs[k].id].longs; }

  // Adds what the kernel of output k does not add itself: as reference::add, repeated where it is smaller.
  void add_to_out(int k, std::span<const T> more) {
    const std::vector<T> before(out(k).begin(), out(k).end());
    reference::add<T>(before, more, out(k));
  }
  // Of gradients, for optimizers; without input k they are not clipped.
  float clip_factor(int k) const { return has(k) ? number(k, 0) : 1.0f; }

  float number(int k, int i) const { return static_cast<float>(in(k)[i]); }  // exact: it came from a float
  RandomPosition position(int k) const { return PositionRecord::read(longs(k)).random; }
  // Input k, of the rows of a tensor [rows, tokens, ...] of that shape.
  Segments segments_in(int k, const Shape& tensor) const { return {ids(k), tensor[0], tensor[1]}; }

 private:
  const Graph& graph_;
  const Node& node_;
  std::vector<Elements<T>>& values_;
};

}  // namespace phasor::test::reference_ops
