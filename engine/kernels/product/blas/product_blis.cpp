// BLIS's products: in panels where its kernel is known (blis_panel_kernel.cpp) and they are not skinny, else by its
// loops.
//
// By itself it copies operands to where its kernels want them only if m is 512 at least, n 200 and k 240 (those of
// Zen); what is smaller it multiplies as it lies, at two thirds of the rate and with other sums. Here it is told, call
// by call, to copy always: any piece of a product, by rows or by columns, has the bits that it has in the whole, at the
// rate of large ones. What is skinny is multiplied as it lies, two to four times as fast.
//
// To be told so it takes a structure whose fields differ between versions (blis_library.cpp).
//
// Its buffers: for each call that runs at the same time what it copies operands to, up to some 20 MiB; it keeps them.
#include <array>
#include <fmt/format.h>

#include "engine/kernels/product/blas/blis_library.h"
#include "engine/kernels/product/blas/widened_product.h"
#include "engine/kernels/product/panels/panel_backend.h"

namespace phasor::kernels {

// How BLIS makes one product (its rntm_t). 0.9.0 fills the last two in while it runs, 1.1 ends before them: every call
// has its own.
struct Blis::Settings {
  std::int64_t none = 0;  // it has no kind of threads (1.1), and chooses no ways by itself
  std::int64_t threads = 1;
  std::array<std::int64_t, 6> ways{1, 1, 1, 1, 1, 1};  // by which its loops are divided among threads
  bool copies_a = false, copies_b = false;             // of small products
  bool has_small_products = false;
  void* small_blocks = nullptr;
  void* packing_blocks = nullptr;
};
static_assert(sizeof(Blis::Settings) == 88);

namespace {

// As cblas_sgemm, of matrices by rows.
void multiply_copied(int, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a, int lda,
                     const float* b, int ldb, float beta, float* c, int ldc) {
  Blis::Settings settings;
  const bool a_lies = transpose_a == kBlasTransposed, b_lies = transpose_b == kBlasTransposed;
  blis().multiply(0, 0, m, n, k, &alpha, a, a_lies ? 1 : lda, a_lies ? lda : 1, b, b_lies ? 1 : ldb, b_lies ? ldb : 1,
                  &beta, c, ldc, 1, nullptr, &settings);
}

bool serves(const ProductShape& s) { return is_for_blas(s) && blis().is_there(); }

struct Panels {
  static constexpr std::string_view kName = "blis", kInPanels = "blis, in panels";
  static const PanelKernel& kernel() { return blis().panels; }
  static bool takes(const ProductShape& s) { return is_for_blas(s) || is_for_widening(s); }
};

}  // namespace

ProductBackend blis_panel_products() { return panel_products<Panels>(); }

ProductBackend blis_products() {
  return {.name = "blis",
          .serves = serves,
          .scratch_bytes = [](const ProductShape&) -> std::int64_t { return 0; },
          .make = [](const ProductShape& s, int) { return blas_product("blis", multiply_copied, s); },
          .tile = {.rows = 768, .columns = 384, .least_rows = 192, .least_columns = 192}};
}

ProductBackend blis_small_products() {
  return {.name = "blis, as it lies",
          .serves = serves,
          .scratch_bytes = [](const ProductShape&) -> std::int64_t { return 0; },
          .make = [](const ProductShape& s, int) { return blas_product("blis", blis().multiply_small, s); },
          .tile = {.rows = 768, .columns = 384, .least_rows = 512, .least_columns = 256}};
}

std::string blis_version() {
  return blis().is_there() ? fmt::format("{} for {}", blis().version, blis().processor) : std::string();
}

}  // namespace phasor::kernels
