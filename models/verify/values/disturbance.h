// Disturbs what an execution computes by as much as a change of rounding could, to see how far that carries.
#pragma once

#include <cstdint>

#include "models/verify/values/value_observer.h"

namespace phasor::run {

// What about the arithmetic of two executions is different.
enum class Rounding : std::uint8_t {
  none,       // nothing: every bit must be the same
  order,      // sums are in another order, or products by another library
  precision,  // values are rounded to bfloat16, or not
  unknown,    // something else is computed: no bound is known
};

// The most by which a number x changes that a node makes, which sums `terms` products, among numbers of root mean
// square `mean`.
//
// Rounding to bfloat16 changes x by u |x| at most, u = 2^-8 (Higham, "Accuracy and Stability of Numerical Algorithms",
// 2.2). A sum of n terms in any order is off by gamma_n = n u / (1 - n u) times the sum of its terms' magnitudes at
// most, u = 2^-24 (ibid., 3.1 and 4.2), and, where rounding errors are independent, by no more than about sqrt(n) u
// times it (Higham and Mary, "A new approach to probabilistic rounding error analysis", 2019). Terms that were drawn at
// random make sums whose root mean square is that of partial sums, too, in which the roundings happen: sqrt(n) u
// max(|x|, mean).
double largest_change(Rounding rounding, std::int64_t terms, double x, double mean);

// How many products the node sums for each number it makes, as far as its flops and the sizes of its operands tell.
std::int64_t terms_of(const Graph& graph, const Node& node);

// Changes the elements of a value that a forward or gradient graph has made, each by a number drawn evenly from
// +-largest_change: Monte Carlo arithmetic (Parker, "Monte Carlo arithmetic: exploiting randomness in floating-point
// arithmetic", 1997). The draws are a function of (seed, step, micro-batch, name, element).
void disturb(const ObservedValue& value, Rounding rounding, std::uint64_t seed, std::int64_t step);

}  // namespace phasor::run
