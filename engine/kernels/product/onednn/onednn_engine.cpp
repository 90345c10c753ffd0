#include "engine/kernels/product/onednn/onednn_engine.h"

#include <cstdlib>

#include "engine/kernels/product/instruction_set.h"

namespace phasor::kernels {

namespace {

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
