#include "bench/memory_rate.h"

#include <algorithm>

#include "bench/timing.h"
#include "engine/base/parallel.h"
#include "engine/base/tensor.h"

namespace phasor::bench {

namespace {

constexpr std::int64_t kGrain = 1 << 14;
constexpr int kRuns = 9;

// Of piece(begin, end) over all elements of `arrays` arrays that together have `bytes`.
template <class Piece>
double median_rate(double bytes, int arrays, Piece piece) {
  const std::int64_t elements = std::max<std::int64_t>(1, static_cast<std::int64_t>(bytes / 4 / arrays));
  Tensor memory[3];
  float* data[3] = {};
  for (int i = 0; i < arrays; ++i) {
    memory[i] = Tensor({DType::f32, {elements}});
    data[i] = memory[i].as<float>().data();
    std::fill_n(data[i], elements, 1.0f);  // pages that were never written would all be one and the same
  }
  std::vector<double> seconds;
  for (int run = 0; run < kRuns; ++run) {
    seconds.push_back(seconds_of([&] {
      parallel_for_ranges(elements, kGrain, [&](std::int64_t i, std::int64_t end) { piece(data, i, end); });
    }));
  }
  return arrays * 4 * static_cast<double>(elements) / median(seconds);
}

}  // namespace

double memory_bytes_per_second(double bytes) {
  const double copy = median_rate(bytes, 2, [](float* const* data, std::int64_t i, std::int64_t end) {
    std::copy(data[1] + i, data[1] + end, data[0] + i);
  });
  const double triad = median_rate(bytes, 3, [](float* const* data, std::int64_t i, std::int64_t end) {
    float* y = data[0];
    const float *x = data[1], *z = data[2];
    for (; i < end; ++i) y[i] = x[i] + 3 * z[i];
  });
  return std::max(copy, triad);
}

}  // namespace phasor::bench
