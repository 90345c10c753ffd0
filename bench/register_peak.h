// What the processor's arithmetic does when operands never leave its registers: the limit that no library exceeds.
#pragma once

#include <string_view>

#include "engine/base/dtype.h"
#include "engine/kernels/product/instruction_set.h"

namespace phasor::bench {

struct RegisterPeak {
  std::string_view instruction;  // "fma", "fma avx2", "fma avx512f", "vdpbf16ps"
  double flops_per_second = 0;   // of the calling thread's team, as far as it has cores
};

// Of the fastest instructions of `set`, whatever the program was built for, that multiply f32, or bf16 into f32: where
// it has none for bf16, or slow ones, those for f32, which products of bf16 are then made of. Tiles (AMX) are not among
// them: where a processor has them, products of bf16 may exceed its peak. `set` is what products may use, all that the
// processor has unless the environment caps it, and at most that. Takes some 100 ms.
RegisterPeak register_peak(DType type, kernels::InstructionSet set = kernels::instruction_set());

}  // namespace phasor::bench
