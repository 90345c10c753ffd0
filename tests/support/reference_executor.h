// Evaluates any graph with the reference kernels: in double as the oracle of the fast kernels, in complex double for
// derivatives.
#pragma once

#include "engine/ir/graph.h"
#include "tests/support/elements.h"

namespace phasor::test {

// The graph's outputs for its inputs, both in order. T is double or std::complex<double>; in the latter the ops that
// never are differentiated (adam, square_sum, clip_factor) throw.
template <class T>
std::vector<Elements<T>> evaluate(const Graph& graph, const std::vector<Elements<T>>& inputs);

extern template std::vector<Elements<double>> evaluate(const Graph&, const std::vector<Elements<double>>&);
extern template std::vector<Elements<std::complex<double>>> evaluate(
    const Graph&, const std::vector<Elements<std::complex<double>>>&);

}  // namespace phasor::test
