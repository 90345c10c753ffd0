// A case of a kernel from one or two arrays to one: most kernels that memory limits.
#pragma once

#include "bench/kernels/table.h"

namespace phasor::bench {

// As many elements as the activations within the intermediate part of a layer.
inline constexpr std::int64_t kMapSize = kTokens * kInner;

// run(x, b, y) computes y, of `results` floats, from x and b, of kMapSize each; reference(x, b, y) does so in double.
// `floats_moved` is how many must be read or written.
template <class Run, class Reference>
KernelEntry map_case(const std::string& name, std::int64_t floats_moved, std::int64_t results, Run run,
                     Reference reference) {
  const auto make = [=](int) {
    const Floats x = uniform(1, kMapSize), b = uniform(2, kMapSize), y(results);
    return KernelCase{.limit = Limit::memory,
                      .work = bytes_of(floats_moved),
                      .run = [=] { run(x.in(), b.in(), y.out()); },
                      .compare =
                          [=] {
                            Doubles expected(static_cast<std::size_t>(results));
                            reference(widen(x), widen(b), expected);
                            return std::vector{Comparison{widen(y), expected}};
                          }};
  };
  return {name, make};
}

// What the functions given to map_case take.
using In = std::span<const float>;
using Out = std::span<float>;
using Wide = const Doubles&;

}  // namespace phasor::bench
