// Products in float32 by a library of BLAS, which is loaded when it is first asked for: where it is missing, it serves
// nothing, on whatever machine the program was built. Each library is loaded apart from all others, so that its
// functions are its own although they share their names with those of another one.
//
// A call runs on the thread that makes it. Libraries take memory of their own, which no plan of device memory knows:
// what they copy operands to, once for each call that runs at the same time, and they keep it. How much stands where a
// library is loaded.
#pragma once

#include "engine/kernels/product/product_backends.h"

namespace phasor::kernels {

constexpr int kBlasTransposed = 112;

// c = alpha op(a) op(b) + beta c. Numbers of the C interface's enumerations: order 101 is by rows, 111 is no transpose.
using Sgemm = void (*)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha, const float* a,
                       int lda, const float* b, int ldb, float beta, float* c, int ldc);

class BlasLibrary {
 public:
  // Empty where there is no such file, or it cannot be loaded. It stays loaded.
  explicit BlasLibrary(const char* path);

  // The function of that name; null where there is none.
  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(address(name));
  }

  // Whether code is the library's.
  bool contains(const void* code) const;

 private:
  void* address(const char* name) const;

  void* library_ = nullptr;
};

// Whether cblas_sgemm takes such operands: its sizes are 32 bits wide.
bool is_for_blas(const ProductShape& shape);

// c = op(a) op(b), or c += where the shape accumulates. Its bias is left out. With beta 0 libraries write c without
// reading it.
void multiply(Sgemm sgemm, const ProductShape& shape, const float* a, const float* b, float* c);

std::unique_ptr<Product> blas_product(std::string_view backend, Sgemm sgemm, const ProductShape& shape);

}  // namespace phasor::kernels
