// What a library of matrix products has within its loops: a kernel that multiplies panels. The signature is that of
// OpenBLAS, turned to matrices by rows: its c is ours transposed.
#pragma once

#include <cstdint>

namespace phasor::kernels {

struct PanelKernel {
  // Of a tile, four or more. In calls of as many columns, all of whole tiles, rows at the same place in a tile are
  // summed alike.
  std::int64_t rows = 0, columns = 0;
  std::int64_t depth = 0;       // of k, at most at a time: what it takes from panels before it adds to c
  std::int64_t most_rows = 96;  // of a at a time: as many as the caches of its processors hold besides b

  // Of c, whose sums begin before the kernel adds to these: as many as it takes at a time.
  std::int64_t started_rows = 24;

  std::int64_t read_behind = 0;  // floats behind the last panel of b, whatever they are

  // c[m, n] += factor a b, of whole tiles: a of panels [depth][rows], b of panels [depth][columns].
  using Multiply = int (*)(long n, long m, long depth, float factor, const float* b, const float* a, float* c,
                           long ldc);
  Multiply multiply = nullptr;
  Multiply begin = nullptr;  // c = factor a b, whatever was there, where the library has that, too
};

}  // namespace phasor::kernels
