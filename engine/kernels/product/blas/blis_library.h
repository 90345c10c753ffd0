// BLIS of the versions whose structures are known here: they differ between versions. It multiplies on one thread,
// whatever BLIS_NUM_THREADS says.
#pragma once

#include "engine/kernels/product/blas/blas_product.h"
#include "engine/kernels/product/panels/panel_kernel.h"

namespace phasor::kernels {

struct Blis {
  struct Settings;  // how it makes one product: product_blis.cpp

  // Strides are in elements, from row to row and from column to column; no transposition is needed, 0.
  using Multiply = void (*)(std::uint32_t, std::uint32_t, std::int64_t m, std::int64_t n, std::int64_t k,
                            const float* alpha, const float* a, std::int64_t a_rows, std::int64_t a_columns,
                            const float* b, std::int64_t b_rows, std::int64_t b_columns, const float* beta, float* c,
                            std::int64_t c_rows, std::int64_t c_columns, const void* context, Settings* settings);

  bool is_there() const { return multiply != nullptr && multiply_small != nullptr; }

  Multiply multiply = nullptr;
  Sgemm multiply_small = nullptr;
  PanelKernel panels;        // without `multiply` where it is not there
  std::string_view version;  // "0.9.0"; empty where the library is not there
  std::string processor;     // "zen3", whose kernels run
};

// Loaded when it is first asked for.
const Blis& blis();

// The kernel of processors with AVX2; null where the library runs another. `place`: how many bytes behind the start of
// its context a library of this version has it.
PanelKernel blis_panel_kernel(const BlasLibrary& library, std::string_view processor, std::size_t place);

}  // namespace phasor::kernels
