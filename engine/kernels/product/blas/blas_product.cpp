#include "engine/kernels/product/blas/blas_product.h"

#include <algorithm>
#include <dlfcn.h>
#include <limits>

#include "engine/kernels/product/start_sum.h"

namespace phasor::kernels {

namespace {

int narrow(std::int64_t size) { return static_cast<int>(size); }

class BlasProduct final : public Product {
 public:
  BlasProduct(std::string_view backend, Sgemm sgemm, const ProductShape& shape)
      : backend_(backend), sgemm_(sgemm), s_(shape) {}

  std::string_view backend() const override { return backend_; }
  std::int64_t scratch_bytes() const override { return 0; }

  void run(int, const void* a, const void* b, const float* bias, void* c, std::byte*) const override {
    auto* const result = static_cast<float*>(c);
    ProductShape s = s_;
    if (s_.bias) {
      start_sum(s_, bias, result);
      s.accumulate = true;
    }
    multiply(sgemm_, s, static_cast<const float*>(a), static_cast<const float*>(b), result);
  }

 private:
  std::string_view backend_;
  Sgemm sgemm_;
  ProductShape s_;
};

}  // namespace

void multiply(Sgemm sgemm, const ProductShape& s, const float* a, const float* b, float* c) {
  constexpr int kByRows = 101, kAsStored = 111;
  sgemm(kByRows, s.transpose_a ? kBlasTransposed : kAsStored, s.transpose_b ? kBlasTransposed : kAsStored, narrow(s.m),
        narrow(s.n), narrow(s.k), 1, a, narrow(s.lda), b, narrow(s.ldb), s.accumulate ? 1 : 0, c, narrow(s.ldc));
}

BlasLibrary::BlasLibrary(const char* path) : library_(*path == '\0' ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL)) {}

bool BlasLibrary::contains(const void* code) const {
  Dl_info of_code, of_library;
  return dladdr(code, &of_code) != 0 && dladdr(address("cblas_sgemm"), &of_library) != 0 &&
         of_code.dli_fbase == of_library.dli_fbase;
}

void* BlasLibrary::address(const char* name) const { return library_ == nullptr ? nullptr : dlsym(library_, name); }

bool is_for_blas(const ProductShape& s) {
  return s.operands == DType::f32 && !s.packed_b && s.m > 0 && s.n > 0 && s.k > 0 &&
         std::max({s.m, s.n, s.k, s.lda, s.ldb, s.ldc}) <= std::numeric_limits<int>::max();
}

std::unique_ptr<Product> blas_product(std::string_view backend, Sgemm sgemm, const ProductShape& shape) {
  return std::make_unique<BlasProduct>(backend, sgemm, shape);
}

}  // namespace phasor::kernels
