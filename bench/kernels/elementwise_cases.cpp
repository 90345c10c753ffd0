#include "bench/kernels/map_case.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/reference/elementwise.h"

namespace phasor::bench {

namespace {

// From one type to the other; `From` is the case's.
template <class From, class To>
KernelEntry convert_case() {
  return map_case<From, To>(
      "convert", bytes_of<From>(kMapSize) + bytes_of<To>(kMapSize), kMapSize,
      [](In<From> x, In<From>, Out<To> y) { kernels::convert(x, y); },
      [](Wide x, Wide, Doubles& y) {
        std::ranges::transform(x, y.begin(), [](double v) { return to_float(from_float<To>(static_cast<float>(v))); });
      });
}

}  // namespace

KernelEntries elementwise_cases() {
  KernelEntries entries = in_both_types([]<class T> {
    return KernelEntries{
        map_case<T>(
            "add/bias", bytes_of<T>(2 * kMapSize), kMapSize,
            [](In<T> x, In<T> b, Out<T> y) { kernels::add<T>(x, b.first(kInner), y); },
            [](Wide x, Wide b, Doubles& y) { reference::add<double>(x, std::span(b).first(kInner), y); }),
        map_case<T>(
            "add/residual", bytes_of<T>(3 * kMapSize), kMapSize,
            [](In<T> x, In<T> b, Out<T> y) { kernels::add<T>(x, b, y); },
            [](Wide x, Wide b, Doubles& y) { reference::add<double>(x, b, y); }),
        map_case<T, float>(
            "reduce_sum", bytes_of<T>(kMapSize), kInner,
            [](In<T> x, In<T>, Out<float> y) { kernels::reduce_sum<T>(x, y); },
            [](Wide x, Wide, Doubles& y) { reference::reduce_sum<double>(x, y); })};
  });
  entries.push_back(convert_case<float, bfloat16>());
  entries.push_back(convert_case<bfloat16, float>());
  return entries;
}

}  // namespace phasor::bench
