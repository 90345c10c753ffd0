#include "engine/kernels/product/product_table.h"

#include <algorithm>

#include "engine/base/error.h"

namespace phasor::kernels {

namespace {

using enum InstructionSet;
using enum ShapeClass;

using Names = std::array<std::string_view, 4>;

constexpr Names kOneDnn{"onednn", "openblas", "blis", "eigen"};
constexpr Names kOneDnnOrEigen{"onednn", "eigen", "openblas", "blis"};
constexpr Names kOpenBlas{"openblas", "blis", "onednn", "eigen"};
constexpr Names kBlis{"blis", "openblas", "onednn", "eigen"};
constexpr Names kPanels{"openblas, in panels", "onednn", "blis", "eigen"};
constexpr Names kPanelsOrEigen{"openblas, in panels", "eigen", "onednn", "blis"};
constexpr Names kBlisAsItLies{"blis, as it lies", "openblas", "onednn", "eigen"};

struct Row {
  InstructionSet set;
  DType operands;
  ShapeClass shapes;
  Names backends;
};

// GFLOP/s of one core of a Zen 4, oneDNN 2.6.3 / OpenBLAS 0.3.21 / BLIS 0.9.0 / Eigen 3.4.0, on the products of BERT
// base (1536 tokens, heads of 64), the fastest of 12 runs; "-": not served. Rows without figures follow their
// neighbours. OpenBLAS and BLIS had pieces of 96 rows then; of large ones (kernels/product_cut.h) both make 82 to 90 of
// the 103 that the registers of a core of a Zen 3 allow. On avx512 a skinny product stays with oneDNN, whose bits it
// had: its time is nothing beside the others'. On avx2 BLIS multiplies in panels, by its kernel alone, where a row has
// its bits wherever it stands: answers do not depend on how many samples are read at a time.
//
// avx512_bf16_halved is a core of an Intel Xeon of 2023 (Emerald Rapids) without its tiles, with 178 in registers and
// 89 of bfloat16; OpenBLAS in panels, which widen bfloat16. oneDNN makes 69 where the rows of b are a multiple of 4 KiB
// apart, as they are in the gradient of a layer's last weights. Where weights are packed once a phase, in large
// products, steps of float32 are 1 or 2 % faster by panels than by oneDNN. Processors before this one (avx512) and with
// tiles (amx) have its units for float32. Attention widens what it gathers there: its products by oneDNN are float32's.
//
// avx512 is a core of an Intel Xeon of 2017 (Skylake), with 152 in registers and half of that for these products while
// others used its second thread; BLIS takes it for a Haswell.
//     scripts/compare/products.py --isa avx2 --threads 1 --rounds 12
constexpr Row kTable[] = {
    {basic, DType::f32, skinny, kBlisAsItLies},
    {basic, DType::f32, head, kOpenBlas},
    {basic, DType::f32, weight_gradient, kOpenBlas},
    {basic, DType::f32, large, kOpenBlas},
    {avx2, DType::f32, skinny, kBlisAsItLies},  // - /  8 / 12 /  8
    {avx2, DType::f32, head, kBlis},            // - / 98 / 64 to 105 / 80 to 86; of a Zen 3: 67 to 86 / panels 76 to 79
    {avx2, DType::f32, weight_gradient, kBlis},  // of a Zen 3, in turns: - / 82 to 88 / panels 83 to 92, else 81 to 89
    {avx2, DType::f32, large, kBlis},            // the same: - / 82 to 87 / panels 88 to 92, else 86 to 89
    {avx512, DType::f32, skinny, kOneDnn},       //   7 / 11 /  3 /  6
    {avx512, DType::f32, head, kOneDnn},         // 100 to 123 / 89 to  99 / 41 to 51 / 83 to 96
    {avx512, DType::f32, weight_gradient, kPanels},              //  52 to 105 / 107 to 121 / 57 to 67 / 63 to 78
    {avx512, DType::f32, large, kPanels},                        // 107 to 122 / 111 to 125 / 61 to 70 / 53 to 74
    {avx512_bf16, DType::f32, skinny, kOneDnn},                  //  11 /  8 / 14 /  9
    {avx512_bf16, DType::f32, head, kOneDnn},                    // 102 to 113 / 91 to 97 / 64 to 107 / 80 to 87
    {avx512_bf16, DType::f32, weight_gradient, kOneDnn},         //  91 to  99 / 79 to 92 / 72 to 83 / 65 to 73
    {avx512_bf16, DType::f32, large, kOneDnn},                   // 105 to 108 / 78 to 91 / 49 to 99 / 56 to 74
    {avx512_bf16_halved, DType::f32, skinny, kOneDnn},           //  17 /  5 /  5 / 15
    {avx512_bf16_halved, DType::f32, head, kOneDnn},             // 143 to 170 / 122 to 130 / 64 to 73 / 110 to 134
    {avx512_bf16_halved, DType::f32, weight_gradient, kPanels},  //  69 to 145 / 141 to 154 / 77 to 78 / 98 to 118
    {avx512_bf16_halved, DType::f32, large, kPanels},            // 143 to 155 / 146 to 159 / 77 to 82 / 111 to 126
    {amx, DType::f32, skinny, kOneDnn},
    {amx, DType::f32, head, kOneDnn},
    {amx, DType::f32, weight_gradient, kPanels},
    {amx, DType::f32, large, kPanels},
    // Operands of bfloat16 are for oneDNN, and for OpenBLAS, BLIS in panels and Eigen, which widen them.
    {basic, DType::bf16, skinny, kOneDnnOrEigen},
    {basic, DType::bf16, head, kOneDnn},
    {basic, DType::bf16, weight_gradient, kOneDnn},
    {basic, DType::bf16, large, kOneDnn},
    {avx2, DType::bf16, skinny, kOneDnnOrEigen},  // of a Zen 3: - / 4 / - / 7
    {avx2, DType::bf16, head, kBlis},
    {avx2, DType::bf16, weight_gradient, kBlis},
    {avx2, DType::bf16, large, kBlis},                // of a Zen 3: - / 73 to 88 / - / 43 to 60
    {avx512, DType::bf16, skinny, kOneDnn},           // - / 10 / - /  7
    {avx512, DType::bf16, head, kOneDnn},             // - / 77 to  97 / - / 74 to 79
    {avx512, DType::bf16, weight_gradient, kOneDnn},  // - / 121 to 128 / - / 71 to 81
    {avx512, DType::bf16, large, kOneDnn},            // - / 120 to 131 / - / 76 to 86
    {avx512_bf16, DType::bf16, skinny, kOneDnn},
    {avx512_bf16, DType::bf16, head, kOneDnn},
    {avx512_bf16, DType::bf16, weight_gradient, kOneDnn},                // 187 to 189 / - / - / 67
    {avx512_bf16, DType::bf16, large, kOneDnn},                          // 203 to 216 / - / - / 68 to 74
    {avx512_bf16_halved, DType::bf16, skinny, kOneDnnOrEigen},           //  10 /  6 / - / 10
    {avx512_bf16_halved, DType::bf16, head, kPanelsOrEigen},             //  80 to 85 / 112 to 133 / - / 94 to 109
    {avx512_bf16_halved, DType::bf16, weight_gradient, kPanelsOrEigen},  //  79 to 83 / 148 to 157 / - / 114 to 124
    {avx512_bf16_halved, DType::bf16, large, kPanelsOrEigen},            //  86 to 88 / 149 to 160 / - / 119 to 126
    {amx, DType::bf16, skinny, kOneDnn},
    {amx, DType::bf16, head, kOneDnn},
    {amx, DType::bf16, weight_gradient, kOneDnn},
    {amx, DType::bf16, large, kOneDnn},
};

}  // namespace

ShapeClass class_of(const ProductShape& s) {
  constexpr std::int64_t kSkinny = 16, kHead = 128;
  const std::int64_t least = std::min({s.m, s.n, s.k});
  if (least < kSkinny) return skinny;
  if (std::min(s.n, s.k) <= kHead) return head;
  return s.transpose_a ? weight_gradient : large;
}

bool has_fast_bfloat16(InstructionSet set) { return set == avx512_bf16 || set == amx; }

std::span<const std::string_view> preferred_backends(InstructionSet set, DType operands, ShapeClass shapes) {
  const auto row = std::ranges::find_if(
      kTable, [&](const Row& r) { return r.set == set && r.operands == operands && r.shapes == shapes; });
  ensure(row != std::end(kTable), "product: no row for {}", name_of(set));
  return row->backends;
}

}  // namespace phasor::kernels
