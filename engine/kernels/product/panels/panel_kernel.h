// What a library of matrix products has within its loops: copies of operands to panels, and a kernel that multiplies
// them. Types and signatures are those of OpenBLAS, turned to matrices by rows: its c is ours transposed.
#pragma once

#include <cstdint>

namespace phasor::kernels {

struct PanelKernel {
  // Of a tile. In calls of as many columns, all of whole tiles, rows at the same place in a tile are summed alike.
  std::int64_t rows = 0, columns = 0;
  std::int64_t depth = 0;  // of k, at most at a time: what it takes from panels before it adds to c

  // Copies `depth` steps of k of whole tiles: `lines` are rows of a or columns of b, from a matrix with this stride.
  using Pack = int (*)(long depth, long lines, const float* from, long stride, float* to);
  Pack pack_rows = nullptr, pack_rows_transposed = nullptr;        // of a, stored [m, k]; stored [k, m]
  Pack pack_columns = nullptr, pack_columns_transposed = nullptr;  // of b, stored [k, n]; stored [n, k]

  // c[m, n] += factor a b, of whole tiles.
  int (*multiply)(long n, long m, long depth, float factor, const float* b, const float* a, float* c,
                  long ldc) = nullptr;
};

}  // namespace phasor::kernels
