// One matrix product by every backend that might take it, on random operands: the only place of the benchmarks that
// knows how products are run.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "engine/kernels/product/product_backends.h"

namespace phasor::bench {

struct ProductWay {
  std::string backend;
  std::function<void()> run;  // on the calling thread's team
};

// First the way that training goes, by engine/kernels/matmul.h; then those by every other of `backends` that serves the
// shape, but for the last, which are plain loops, cut into few pieces a thread, as libraries like them. Where
// shape.packed_b, b is laid out beforehand for those that take it so. All write to the same result; every other way was
// run once, and an InternalError is one whose result is not that of the first. Runs on the calling thread's team, of at
// most `threads`; a larger one is an InternalError, too.
std::vector<ProductWay> product_ways(const kernels::ProductShape& shape, int threads,
                                     std::span<const kernels::ProductBackend> backends = kernels::product_backends());

}  // namespace phasor::bench
