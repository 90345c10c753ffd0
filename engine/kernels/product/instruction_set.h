// What the processor can do for products.
#pragma once

#include <array>
#include <string_view>

namespace phasor::kernels {

// Each has what those before it have. avx512_bf16_halved: Intel's processors that have tiles (amx), where these are
// hidden or capped; their dot products of bfloat16 make half of what multiply-adds of float32 make, elsewhere twice.
enum class InstructionSet : unsigned char { basic, avx2, avx512, avx512_bf16, avx512_bf16_halved, amx };

inline constexpr std::array kInstructionSets{InstructionSet::basic,
                                             InstructionSet::avx2,
                                             InstructionSet::avx512,
                                             InstructionSet::avx512_bf16,
                                             InstructionSet::avx512_bf16_halved,
                                             InstructionSet::amx};

constexpr std::string_view name_of(InstructionSet set) {
  constexpr std::string_view kNames[] = {"basic", "avx2", "avx512", "avx512_bf16", "avx512_bf16_halved", "amx"};
  return kNames[static_cast<std::size_t>(set)];
}

// Of this processor, or less where ONEDNN_MAX_CPU_ISA says so when it is first asked. It never changes.
InstructionSet instruction_set();

// What remains of `set` under that variable's value: "AVX2" leaves avx2 of all above. Values that oneDNN does not know
// leave everything.
InstructionSet capped(InstructionSet set, std::string_view limit);

// Some virtual machines offer AMX but hide what its tiles look like (leaf 0x1D of cpuid).
bool hides_tiles();

}  // namespace phasor::kernels
