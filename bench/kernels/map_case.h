// A case of a kernel from one or two arrays to one: most kernels that memory limits.
#pragma once

#include "bench/kernels/table.h"

namespace phasor::bench {

// As many elements as the activations within the intermediate part of a layer.
inline constexpr std::int64_t kMapSize = kTokens * kInner;

// run(x, b, y) computes y, of `results` elements, from x and b, of kMapSize each; reference(x, b, y) does so in double.
// `bytes_moved` is how many must be read or written.
template <class T, class Y = T, class Run, class Reference>
KernelEntry map_case(const std::string& name, double bytes_moved, std::int64_t results, Run run, Reference reference) {
  const auto make = [=](int) {
    const Elements<T> x = uniform<T>(1, kMapSize), b = uniform<T>(2, kMapSize);
    const Elements<Y> y(results);
    return KernelCase{.limit = Limit::memory,
                      .type = dtype_of<T>,
                      .work = bytes_moved,
                      .run = [=] { run(x.in(), b.in(), y.out()); },
                      .compare =
                          [=] {
                            Doubles expected(static_cast<std::size_t>(results));
                            reference(widen(x), widen(b), expected);
                            return std::vector{Comparison{widen(y), expected}};
                          }};
  };
  return {case_name<T>(name), make};
}

// What the functions given to map_case take.
template <class T>
using In = std::span<const T>;
template <class T>
using Out = std::span<T>;
using Wide = const Doubles&;

// The cases of a family in both types, one below the other: cases<T>() for T in float, bfloat16.
template <class Cases>
KernelEntries in_both_types(Cases cases) {
  KernelEntries all = cases.template operator()<float>();
  for (KernelEntry& entry : cases.template operator()<bfloat16>()) all.push_back(std::move(entry));
  return all;
}

}  // namespace phasor::bench
