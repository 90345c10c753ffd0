#include "engine/kernels/product/onednn_engine.h"

#include <cstdlib>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace phasor::kernels {

namespace {

bool hides_tiles() {
#if defined(__x86_64__)
  constexpr unsigned kFeatures = 7, kTiles = 0x1D, kAmxTile = 1u << 24;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(kFeatures, 0, &a, &b, &c, &d) == 0 || (d & kAmxTile) == 0) return false;
  const bool tells = __get_cpuid_count(kTiles, 0, &a, &b, &c, &d) != 0;
  const unsigned palettes = a;
  return !tells || palettes == 0;
#else
  return false;
#endif
}

bool avoid_hidden_tiles() {
  if (std::getenv("ONEDNN_MAX_CPU_ISA") != nullptr || std::getenv("DNNL_MAX_CPU_ISA") != nullptr) return false;
  if (!hides_tiles()) return false;
  dnnl::set_max_cpu_isa(dnnl::cpu_isa::avx512_core_bf16);
  return true;
}

}  // namespace

dnnl::engine onednn_engine() {
  static const bool avoids [[maybe_unused]] = avoid_hidden_tiles();
  return {dnnl::engine::kind::cpu, 0};
}

}  // namespace phasor::kernels
