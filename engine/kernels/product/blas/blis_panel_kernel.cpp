// BLIS makes its products of one kernel for tiles, which it finds in a structure of its own (its cntx_t) and calls
// with another (its auxinfo_t). A row is summed alike wherever it stands.
#include <algorithm>
#include <array>
#include <cstring>
#include <hwy/cache_control.h>

#include "engine/kernels/product/blas/blis_library.h"
#include "engine/kernels/product/panels/panel_blocks.h"
#include "engine/kernels/product/panels/panel_trial.h"

namespace phasor::kernels {

namespace {

constexpr std::int64_t kRows = 6, kColumns = 16;

// Panels that come next, which a kernel may fetch ahead, and what only others read.
struct Next {
  std::int64_t schemas = 0;
  const float *a = nullptr, *b = nullptr;
  std::array<std::int64_t, 6> others{};
};
static_assert(sizeof(Next) == 72);

// c[m, n] = beta c + alpha a b.
using Multiply = void (*)(std::int64_t m, std::int64_t n, std::int64_t k, const float* alpha, const float* a,
                          const float* b, const float* beta, float* c, std::int64_t c_rows, std::int64_t c_columns,
                          const Next* next, const void* context);

// Set before the kernel is handed out.
const std::byte* context = nullptr;
Multiply multiply_tile = nullptr;  // of f32

// A part of a panel that is needed soon.
void fetch(const float* panel, std::int64_t part, std::int64_t parts, std::int64_t floats) {
  constexpr std::int64_t kCacheLine = 64 / sizeof(float);
  const std::int64_t count = whole_parts(pieces(floats, parts), kCacheLine);
  for (std::int64_t i = 0; i < count; i += kCacheLine) hwy::Prefetch(panel + part * count + i);
}

// The kernel fetches its tile of c to read it, and would ask for it again when it writes: by then it is ours to write.
void fetch_to_write(const float* c, std::int64_t ldc) {
  constexpr int kToWrite = 1;
  for (std::int64_t row = 0; row < kRows; ++row) __builtin_prefetch(c + row * ldc, kToWrite);
}

// A panel of b stays in the first cache, those of a come from the second, and so does the next of b.
template <bool kBegins>
int multiply(long n, long m, long depth, float factor, const float* b, const float* a, float* c, long ldc) {
  constexpr float kBeta = kBegins ? 0 : 1;
  for (long column = 0; column < n; column += kColumns) {
    const float* const of_b = b + column * depth;
    for (long row = 0; row < m; row += kRows) {
      const float* const of_a = a + row * depth;
      float* const of_c = c + row * ldc + column;
      fetch_to_write(of_c, ldc);
      fetch(of_b + kColumns * depth, row / kRows, m / kRows, kColumns * depth);
      const Next next{.a = of_a + kRows * depth, .b = of_b};
      multiply_tile(kRows, kColumns, depth, &factor, of_a, of_b, &kBeta, of_c, ldc, 1, &next, context);
    }
  }
  return 0;
}

}  // namespace

PanelKernel blis_panel_kernel(const BlasLibrary& library, std::string_view processor, std::size_t place) {
  constexpr std::array<std::string_view, 4> kProcessors{"haswell", "zen", "zen2", "zen3"};
  const auto context_of_processor = library.function<const std::byte* (*)()>("bli_gks_query_cntx");
  if (context_of_processor == nullptr || std::ranges::find(kProcessors, processor) == kProcessors.end()) return {};
  context = context_of_processor();
  std::memcpy(&multiply_tile, context + place, sizeof multiply_tile);
  if (!library.contains(reinterpret_cast<const void*>(multiply_tile))) return {};
  // It loads the first columns of the step that would follow.
  const PanelKernel kernel{.rows = kRows,
                           .columns = kColumns,
                           .depth = 384,
                           .most_rows = 192,
                           .started_rows = 192,
                           .read_behind = kColumns,
                           .multiply = multiply<false>,
                           .begin = multiply<true>};
  return multiplies(kernel) ? kernel : PanelKernel{};
}

}  // namespace phasor::kernels
