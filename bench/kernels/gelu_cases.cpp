#include <string_view>

#include "bench/kernels/map_case.h"
#include "engine/kernels/gelu.h"
#include "engine/kernels/reference/gelu.h"

namespace phasor::bench {

KernelEntries gelu_cases() {
  return in_both_types([]<class T> {
    KernelEntries entries;
    for (const GeluKind kind : {GeluKind::erf, GeluKind::tanh}) {
      const std::string_view end = kind == GeluKind::erf ? "" : "/tanh";
      entries.push_back(map_case<T>(
          fmt::format("gelu{}", end), bytes_of<T>(2 * kMapSize), kMapSize,
          [kind](In<T> x, In<T>, Out<T> y) { kernels::gelu<T>(kind, x, y); },
          [kind](Wide x, Wide, Doubles& y) { reference::gelu<double>(kind, x, y); }));
      entries.push_back(map_case<T>(
          fmt::format("gelu_gradient{}", end), bytes_of<T>(3 * kMapSize), kMapSize,
          [kind](In<T> x, In<T> dy, Out<T> dx) { kernels::gelu_gradient<T>(kind, x, dy, dx); },
          [kind](Wide x, Wide dy, Doubles& dx) { reference::gelu_gradient<double>(kind, x, dy, dx); }));
    }
    return entries;
  });
}

}  // namespace phasor::bench
