#include "engine/kernels/product/instruction_set.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
#include <utility>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace phasor::kernels {

namespace {

#if defined(__x86_64__)

constexpr unsigned kAmxTile = 1u << 24, kAmxBf16 = 1u << 22, kAvx512Fp16 = 1u << 23;

unsigned features() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  return __get_cpuid_count(7, 0, &a, &b, &c, &d) == 0 ? 0 : d;
}

InstructionSet of_processor() {
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return InstructionSet::basic;
  if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
      !__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq")) {
    return InstructionSet::avx2;
  }
  if (!__builtin_cpu_supports("avx512bf16")) return InstructionSet::avx512;
  const bool has_amx = (features() & kAmxTile) != 0 && (features() & kAmxBf16) != 0 && !hides_tiles();
  if (has_amx) return InstructionSet::amx;
  const bool is_built_with_tiles = __builtin_cpu_is("intel") && (features() & kAvx512Fp16) != 0;
  return is_built_with_tiles ? InstructionSet::avx512_bf16_halved : InstructionSet::avx512_bf16;
}

#else

InstructionSet of_processor() { return InstructionSet::basic; }

#endif

std::string_view limit_of_environment() {
  for (const char* name : {"ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA"}) {
    if (const char* limit = std::getenv(name)) return limit;
  }
  return {};
}

}  // namespace

bool hides_tiles() {
#if defined(__x86_64__)
  constexpr unsigned kTiles = 0x1D;
  if ((features() & kAmxTile) == 0) return false;
  unsigned palettes = 0, b = 0, c = 0, d = 0;
  const bool tells = __get_cpuid_count(kTiles, 0, &palettes, &b, &c, &d) != 0;
  return !tells || palettes == 0;
#else
  return false;
#endif
}

InstructionSet capped(InstructionSet set, std::string_view limit) {
  constexpr std::pair<std::string_view, InstructionSet> kLimits[] = {
      {"SSE41", InstructionSet::basic},
      {"AVX", InstructionSet::basic},
      {"AVX2", InstructionSet::avx2},
      {"AVX2_VNNI", InstructionSet::avx2},
      {"AVX512_CORE", InstructionSet::avx512},
      {"AVX512_CORE_VNNI", InstructionSet::avx512},
      {"AVX512_CORE_BF16", InstructionSet::avx512_bf16_halved},
      {"AVX512_CORE_FP16", InstructionSet::avx512_bf16_halved},
  };
  std::string upper(limit);
  std::ranges::transform(upper, upper.begin(), [](unsigned char c) { return std::toupper(c); });
  for (const auto& [name, most] : kLimits)
    if (name == upper) return std::min(set, most);
  return set;
}

InstructionSet instruction_set() {
  static const InstructionSet kSet = capped(of_processor(), limit_of_environment());
  return kSet;
}

}  // namespace phasor::kernels
