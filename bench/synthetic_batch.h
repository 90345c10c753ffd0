// Inputs without data files, the same in every run and for everybody: scripts/compare/bench_pytorch.py makes them too.
#pragma once

#include "models/bert/config.h"
#include "models/squad/batch.h"

namespace phasor::bench {

// 64 random bits, a function of n: the finaliser of SplitMix64 on n x 0x9E3779B97F4A7C15. Steele, Lea and Flood, "Fast
// Splittable Pseudorandom Number Generators", 2014.
std::uint64_t draw(std::uint64_t n);

// `samples` samples of full length, numbered from `first_sample`. Of sample s at position p of the sequence:
//   token       1 + draw(s x sequence + p) mod (vocabulary - 1): any but the padding
//   token type  0 in the first quarter of the sequence, the last one behind it
//   start, end  draw(2^32 + 2 s) mod sequence, draw(2^32 + 2 s + 1) mod sequence
// Every label gets `label_weight`.
run::DenseBatch synthetic_batch(const bert::Config& config, std::int64_t first_sample, std::int64_t samples,
                                float label_weight);

}  // namespace phasor::bench
