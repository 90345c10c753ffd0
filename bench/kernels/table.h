// All kernel benchmarks, a function for each file of this folder, in the order in which they are shown.
#pragma once

#include "bench/kernels/case.h"

namespace phasor::bench {

using KernelEntries = std::vector<KernelEntry>;

KernelEntries matmul_cases();
KernelEntries attention_cases();
KernelEntries norm_cases();
KernelEntries convolution_cases();
KernelEntries pooling_cases();
KernelEntries gelu_cases();
KernelEntries relu_cases();
KernelEntries dropout_cases();
KernelEntries dropout_add_norm_cases();
KernelEntries elementwise_cases();
KernelEntries layout_cases();
KernelEntries embedding_cases();
KernelEntries loss_cases();
KernelEntries optimizer_cases();

KernelEntries kernel_cases();

}  // namespace phasor::bench
