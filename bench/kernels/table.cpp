#include "bench/kernels/table.h"

namespace phasor::bench {

KernelEntries kernel_cases() {
  KernelEntries all;
  for (const auto& family : {matmul_cases, attention_cases, convolution_cases, pooling_cases, norm_cases, gelu_cases,
                             relu_cases, dropout_cases, dropout_add_norm_cases, elementwise_cases, layout_cases,
                             embedding_cases, loss_cases, optimizer_cases}) {
    for (KernelEntry& entry : family()) all.push_back(std::move(entry));
  }
  return all;
}

}  // namespace phasor::bench
