// BLIS, on one thread whatever BLIS_NUM_THREADS says.
//
// By itself it copies operands to where its kernels want them only if m is 512 at least, n 200 and k 240 (those of
// Zen); what is smaller it multiplies as it lies, at two thirds of the rate and with other sums. Here it is told, call
// by call, to copy always: any piece of a product, by rows or by columns, has the bits that it has in the whole, at the
// rate of large ones. What is skinny is multiplied as it lies, two to four times as fast.
//
// To be told so it takes a structure whose fields differ between versions. Only the version known here is taken.
//
// Its buffers: for each call that runs at the same time what it copies operands to, up to some 20 MiB; it keeps them.
#include <array>

#include "engine/kernels/product/blas/blas_product.h"

namespace phasor::kernels {

namespace {

constexpr std::string_view kVersion = "0.9.0";

// How BLIS 0.9.0 makes one product (its rntm_t). It fills the last two in while it runs: every call has its own.
struct Settings {
  bool chooses_ways = false;
  std::int64_t threads = 1;
  std::array<std::int64_t, 6> ways{1, 1, 1, 1, 1, 1};  // by which its loops are divided among threads
  bool copies_a = false, copies_b = false;             // of small products
  bool has_small_products = false;
  void* small_blocks = nullptr;
  void* packing_blocks = nullptr;
};
static_assert(sizeof(Settings) == 88);

// Strides are in elements, from row to row and from column to column; no transposition is needed, 0.
using Multiply = void (*)(std::uint32_t, std::uint32_t, std::int64_t m, std::int64_t n, std::int64_t k,
                          const float* alpha, const float* a, std::int64_t a_rows, std::int64_t a_columns,
                          const float* b, std::int64_t b_rows, std::int64_t b_columns, const float* beta, float* c,
                          std::int64_t c_rows, std::int64_t c_columns, const void* context, Settings* settings);

struct Blis {
  Blis() {
    const BlasLibrary library(PHASOR_BLIS_LIBRARY);
    const auto version = library.function<const char* (*)()>("bli_info_get_version_str");
    const auto bits_of_sizes = library.function<std::int64_t (*)()>("bli_info_get_int_type_size");
    const auto begin = library.function<void (*)()>("bli_init");
    if (version == nullptr || version() != kVersion || bits_of_sizes == nullptr || bits_of_sizes() != 64) return;
    if (begin == nullptr) return;
    begin();
    processor = library.function<int (*)()>("bli_arch_query_id");
    name_of_processor = library.function<const char* (*)(int)>("bli_arch_string");
    const auto set_threads = library.function<void (*)(std::int64_t)>("bli_thread_set_num_threads");
    if (set_threads != nullptr) set_threads(1);
    multiply = library.function<Multiply>("bli_sgemm_ex");
    multiply_small = library.function<Sgemm>("cblas_sgemm");
  }

  bool is_there() const { return multiply != nullptr && multiply_small != nullptr; }

  Multiply multiply = nullptr;
  Sgemm multiply_small = nullptr;
  int (*processor)() = nullptr;
  const char* (*name_of_processor)(int) = nullptr;
};

const Blis& blis() {
  static const Blis kLibrary;
  return kLibrary;
}

// As cblas_sgemm, of matrices by rows.
void multiply_copied(int, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a, int lda,
                     const float* b, int ldb, float beta, float* c, int ldc) {
  Settings settings;
  const bool a_lies = transpose_a == kBlasTransposed, b_lies = transpose_b == kBlasTransposed;
  blis().multiply(0, 0, m, n, k, &alpha, a, a_lies ? 1 : lda, a_lies ? lda : 1, b, b_lies ? 1 : ldb, b_lies ? ldb : 1,
                  &beta, c, ldc, 1, nullptr, &settings);
}

bool serves(const ProductShape& s) { return is_for_blas(s) && blis().is_there(); }

}  // namespace

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
  const Blis& library = blis();
  if (!library.is_there() || library.processor == nullptr || library.name_of_processor == nullptr) return {};
  return std::string(kVersion) + " for " + library.name_of_processor(library.processor());
}

}  // namespace phasor::kernels
