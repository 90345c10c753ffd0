// BLIS, on one thread whatever BLIS_NUM_THREADS says.
//
// It copies operands to where its kernels want them only if m is 512 at least, n 200 and k 240 (those of Zen); what is
// smaller is multiplied as it lies, at two thirds of the rate. Pieces stay above that, whatever the processor.
//
// Its buffers: for each call that runs at the same time what it copies operands to, up to some 20 MiB; it keeps them.
#include "engine/kernels/product/blas/blas_product.h"

namespace phasor::kernels {

namespace {

struct Blis {
  Blis() {
    const BlasLibrary library(PHASOR_BLIS_LIBRARY);
    sgemm = library.function<Sgemm>("cblas_sgemm");
    version = library.function<const char* (*)()>("bli_info_get_version_str");
    processor = library.function<int (*)()>("bli_arch_query_id");
    name_of_processor = library.function<const char* (*)(int)>("bli_arch_string");
    const auto set_threads = library.function<void (*)(std::int64_t)>("bli_thread_set_num_threads");
    if (set_threads != nullptr) set_threads(1);
  }

  Sgemm sgemm = nullptr;
  const char* (*version)() = nullptr;
  int (*processor)() = nullptr;
  const char* (*name_of_processor)(int) = nullptr;
};

const Blis& blis() {
  static const Blis kLibrary;
  return kLibrary;
}

}  // namespace

ProductBackend blis_products() {
  return {.name = "blis",
          .serves = [](const ProductShape& s) { return is_for_blas(s) && blis().sgemm != nullptr; },
          .scratch_bytes = [](const ProductShape&) -> std::int64_t { return 0; },
          .make = [](const ProductShape& s, int) { return blas_product("blis", blis().sgemm, s); },
          .tile = {.rows = 768, .columns = 384, .least_rows = 512, .least_columns = 256}};
}

std::string blis_version() {
  const Blis& library = blis();
  if (library.sgemm == nullptr || library.version == nullptr || library.processor == nullptr ||
      library.name_of_processor == nullptr) {
    return {};
  }
  return std::string(library.version()) + " for " + library.name_of_processor(library.processor());
}

}  // namespace phasor::kernels
