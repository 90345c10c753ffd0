// The processor as oneDNN sees it.
#pragma once

#include <dnnl.hpp>

namespace phasor::kernels {

// Every use of oneDNN begins here. Some virtual machines offer AMX but hide what its tiles look like (leaf 0x1D of
// cpuid): oneDNN 2.6 then runs tile instructions without having set tiles up, which ends the process. There it is told
// to do without AMX, unless ONEDNN_MAX_CPU_ISA says what it may use. Any thread may call this.
dnnl::engine onednn_engine();

}  // namespace phasor::kernels
