#include "bench/register_peak.h"

#include <algorithm>
#include <hwy/highway.h>
#include <thread>
#include <vector>

#include "bench/timing.h"
#include "engine/base/error.h"
#include "engine/base/parallel.h"
#ifdef __x86_64__
#include <immintrin.h>
#endif

namespace phasor::bench {

namespace {

namespace hn = hwy::HWY_NAMESPACE;
using kernels::InstructionSet;

// Every lane of several sums adds 1 * 1 turn after turn, and has counted its operations in the end. No turn of a sum
// waits for another sum, and there are enough of them to hide the latency of the instruction, 4 to 6 cycles.
struct Loop {
  std::string_view instruction;
  int lanes;     // of all sums
  int products;  // that a lane adds in a turn
  void (*run)(int turns, float* lanes);
};

constexpr int kTurns = 200'000;  // a millisecond or so, and few enough that lanes count exactly
constexpr int kPieces = 64;      // of a thread
constexpr int kMostLanes = 256;

// To the compiler every read is another number, so that it merges no sums.
volatile const float kOne = 1, kZero = 0;

// What a sanitizer adds to every access would keep sums out of registers, and there is no memory here to watch.
#define PHASOR_IN_REGISTERS __attribute__((no_sanitize("address", "undefined", "thread")))

// For machines without loops of their own below: what the program is built for.
using Floats = hn::CappedTag<float, 16>;

PHASOR_IN_REGISTERS void multiply_adds(int turns, float* lanes) {
  constexpr Floats kFloats;
  const auto one = hn::Set(kFloats, kOne);
  auto a = hn::Set(kFloats, kZero), b = hn::Set(kFloats, kZero), c = hn::Set(kFloats, kZero);
  auto d = hn::Set(kFloats, kZero), e = hn::Set(kFloats, kZero), f = hn::Set(kFloats, kZero);
  auto g = hn::Set(kFloats, kZero), h = hn::Set(kFloats, kZero);
  for (int turn = 0; turn < turns; ++turn) {
    for (auto* sum : {&a, &b, &c, &d, &e, &f, &g, &h}) *sum = hn::MulAdd(one, one, *sum);
  }
  for (const auto* sum : {&a, &b, &c, &d, &e, &f, &g, &h}) {
    hn::StoreU(*sum, kFloats, lanes);
    lanes += hn::Lanes(kFloats);
  }
}

#ifdef __x86_64__

PHASOR_IN_REGISTERS __attribute__((target("avx2,fma"))) void avx2_multiply_adds(int turns, float* lanes) {
  const __m256 one = _mm256_set1_ps(kOne);
  __m256 sums[12];
  for (__m256& sum : sums) sum = _mm256_set1_ps(kZero);
  for (int turn = 0; turn < turns; ++turn) {
#pragma GCC unroll 12
    for (int i = 0; i < 12; ++i) sums[i] = _mm256_fmadd_ps(one, one, sums[i]);
  }
  for (int i = 0; i < 12; ++i) _mm256_storeu_ps(lanes + 8 * i, sums[i]);
}

PHASOR_IN_REGISTERS __attribute__((target("avx512f"))) void avx512_multiply_adds(int turns, float* lanes) {
  const __m512 one = _mm512_set1_ps(kOne);
  __m512 sums[16];
  for (__m512& sum : sums) sum = _mm512_set1_ps(kZero);
  for (int turn = 0; turn < turns; ++turn) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) sums[i] = _mm512_fmadd_ps(one, one, sums[i]);
  }
  for (int i = 0; i < 16; ++i) _mm512_storeu_ps(lanes + 16 * i, sums[i]);
}

PHASOR_IN_REGISTERS __attribute__((target("avx512f,avx512bf16"))) void avx512_dot_products(int turns, float* lanes) {
  const __m512 one = _mm512_set1_ps(kOne);
  const __m512bh ones = _mm512_cvtne2ps_pbh(one, one);
  __m512 sums[16];
  for (__m512& sum : sums) sum = _mm512_set1_ps(kZero);
  for (int turn = 0; turn < turns; ++turn) {
#pragma GCC unroll 16
    for (int i = 0; i < 16; ++i) sums[i] = _mm512_dpbf16_ps(sums[i], ones, ones);
  }
  for (int i = 0; i < 16; ++i) _mm512_storeu_ps(lanes + 16 * i, sums[i]);
}

#endif

Loop loop_of_floats(InstructionSet set) {
#ifdef __x86_64__
  if (set >= InstructionSet::avx512) return {"fma avx512f", 256, 1, avx512_multiply_adds};
  if (set >= InstructionSet::avx2) return {"fma avx2", 96, 1, avx2_multiply_adds};
#endif
  (void)set;
  return {"fma", 8 * static_cast<int>(hn::Lanes(Floats())), 1, multiply_adds};
}

// Runs a piece; returns its seconds.
double seconds_of_piece(const Loop& loop) {
  float lanes[kMostLanes] = {};
  const double seconds = seconds_of([&] { loop.run(kTurns, lanes); });
  const auto counts_all = [&](float lane) { return lane == static_cast<float>(loop.products * kTurns); };
  ensure(std::all_of(lanes, lanes + loop.lanes, counts_all), "register peak: {} miscounts", loop.instruction);
  return seconds;
}

// Other work on the machine lengthens some pieces, but not most of them: the median is that of a piece left alone.
RegisterPeak peak_of(const Loop& loop) {
  const int cores = std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<double> seconds(static_cast<std::size_t>(kPieces) * static_cast<std::size_t>(threads()));
  parallel_for(static_cast<std::int64_t>(seconds.size()), [&](std::int64_t i) { seconds[i] = seconds_of_piece(loop); });
  const double flops = 2.0 * loop.lanes * loop.products * kTurns;
  return {loop.instruction, std::min(threads(), cores) * flops / median(seconds)};
}

}  // namespace

RegisterPeak register_peak(DType type, InstructionSet set) {
  const RegisterPeak of_floats = peak_of(loop_of_floats(set));
#ifdef __x86_64__
  if (type == DType::bf16 && set >= InstructionSet::avx512_bf16) {
    const RegisterPeak of_halves = peak_of({"vdpbf16ps", 256, 2, avx512_dot_products});
    if (of_halves.flops_per_second > of_floats.flops_per_second) return of_halves;
  }
#endif
  (void)type;
  return of_floats;
}

}  // namespace phasor::bench
