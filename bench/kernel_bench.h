// Times kernels against the limits of the machine they run on.
#pragma once

#include <map>

#include "bench/kernels/case.h"

namespace phasor::bench {

// What was reached by the fastest code for what a kernel does most.
struct RateLimit {
  double rate = 0;        // floating-point operations or bytes a second
  std::string backend;    // whose products; empty for memory
  std::string trainings;  // whose products training takes, on the same shape; empty for memory
  std::string note;       // says that the backend which serves a product is not that one; else empty
};

// What the machine can do on a team of `threads`, measured in this process when it is first asked for.
class MachineLimits {
 public:
  explicit MachineLimits(int threads) : threads_(threads) {}

  // A product: that product by the backend that is best for it, measured anew;
  // what is limited by products otherwise: the fastest of the forward products of a layer of BERT base on operands of
  // the case's type, by the backend that is best for it;
  // memory: memory_bytes_per_second of as many bytes as the case moves.
  RateLimit rate(const KernelCase& c);
  // register_peak of the case's type; 0 for what memory limits.
  double peak(const KernelCase& c);
  int threads() const { return threads_; }

 private:
  int threads_;
  std::map<DType, RateLimit> fastest_products_;
  std::map<DType, double> peaks_;
  std::map<double, double> bytes_per_second_;  // by work
};

struct KernelReport {
  std::string name;
  Limit limit{};
  double seconds = 0;  // median of several runs
  double rate = 0;     // floating-point operations or bytes a second, as `limit` says
  RateLimit bound;
  double peak_rate = 0;  // of registers; 0 for what memory limits
  std::string beside;    // KernelCase::beside, and the share of its time; else empty
  double share_of_beside = 0;

  // A little above 1 where a kernel only reads, and need not fetch what it writes, or by noise.
  double share_of_bound() const { return rate / bound.rate; }
  double share_of_peak() const { return peak_rate > 0 ? rate / peak_rate : 0; }
};

// Compares the results with the reference first; a kernel that is wrong is an InternalError. Sets the calling thread's
// team to that of the limits.
KernelReport bench_kernel(const KernelEntry& entry, MachineLimits& limits);

}  // namespace phasor::bench
