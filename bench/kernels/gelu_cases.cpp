#include "bench/kernels/map_case.h"
#include "engine/kernels/gelu.h"
#include "engine/kernels/reference/gelu.h"

namespace phasor::bench {

KernelEntries gelu_cases() {
  return {map_case(
              "gelu", 2 * kMapSize, kMapSize, [](In x, In, Out y) { kernels::gelu(x, y); },
              [](Wide x, Wide, Doubles& y) { reference::gelu<double>(x, y); }),
          map_case(
              "gelu_gradient", 3 * kMapSize, kMapSize, [](In x, In dy, Out dx) { kernels::gelu_gradient(x, dy, dx); },
              [](Wide x, Wide dy, Doubles& dx) { reference::gelu_gradient<double>(x, dy, dx); })};
}

}  // namespace phasor::bench
