// Sums and maxima along a row, vectorised, in an order that depends on the row's length alone.
// Element i goes to lane i % kLanes; the lanes are then folded by halves. GCC keeps them in registers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

namespace phasor::kernels {

template <class T>
inline constexpr std::int64_t kLanes = 64 / sizeof(T);  // a cache line, and the widest vector register

// The lanes combined into one, by halves.
template <class T, class Combine>
T fold_lanes(T (&lanes)[kLanes<T>], Combine combine) {
  for (std::int64_t width = kLanes<T> / 2; width > 0; width /= 2)
    for (std::int64_t lane = 0; lane < width; ++lane) lanes[lane] = combine(lanes[lane], lanes[lane + width]);
  return lanes[0];
}

// combine(... combine(identity, term(0)) ..., term(count - 1)), regrouped as above.
template <class T, class Term, class Combine>
T lane_reduce(std::int64_t count, T identity, Term term, Combine combine) {
  T lanes[kLanes<T>];
  std::fill_n(lanes, kLanes<T>, identity);
  std::int64_t i = 0;
  for (; i + kLanes<T> <= count; i += kLanes<T>)
    for (std::int64_t lane = 0; lane < kLanes<T>; ++lane) lanes[lane] = combine(lanes[lane], term(i + lane));
  for (std::int64_t lane = 0; i < count; ++i, ++lane) lanes[lane] = combine(lanes[lane], term(i));
  return fold_lanes(lanes, combine);
}

// Sum of term(i) for i in [0, count), computed in T.
template <class T, class Term>
T lane_sum(std::int64_t count, Term term) {
  return lane_reduce(count, T{0}, term, [](T a, T b) { return a + b; });
}

// Maximum of term(i); minus infinity of nothing. A NaN may be overlooked.
template <class T, class Term>
T lane_max(std::int64_t count, Term term) {
  return lane_reduce(count, -std::numeric_limits<T>::infinity(), term, [](T a, T b) { return a < b ? b : a; });
}

}  // namespace phasor::kernels
