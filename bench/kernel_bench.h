// Times kernels against the limits of the machine they run on.
#pragma once

#include <map>

#include "bench/kernels/case.h"

namespace phasor::bench {

// What the machine can do on a team of `threads`, measured in this process when it is first asked for.
class MachineLimits {
 public:
  explicit MachineLimits(int threads) : threads_(threads) {}

  // products: operations a second of the fastest of the forward products of a layer of BERT base on operands of the
  // case's type;
  // memory: memory_bytes_per_second of as many bytes as the case moves.
  double rate(const KernelCase& c);
  int threads() const { return threads_; }

 private:
  int threads_;
  std::map<DType, double> flops_per_second_;
  std::map<double, double> bytes_per_second_;  // by work
};

struct KernelReport {
  std::string name;
  Limit limit{};
  double seconds = 0;  // median of several runs
  double rate = 0;     // floating-point operations or bytes a second, as `limit` says
  double limit_rate = 0;

  // A little above 1 where a kernel only reads, and need not fetch what it writes.
  double share_of_limit() const { return rate / limit_rate; }
};

// Compares the results with the reference first; a kernel that is wrong is an InternalError. Sets the calling thread's
// team to that of the limits.
KernelReport bench_kernel(const KernelEntry& entry, MachineLimits& limits);

}  // namespace phasor::bench
