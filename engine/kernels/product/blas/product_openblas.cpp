// OpenBLAS, built for threads of POSIX and told to use one. Its build without threads hands the same buffer to two
// calls that begin at the same moment (version 0.3.21 of Debian, "serial"): their sums are wrong now and then. A build
// for OpenMP guards its buffers for OpenMP's own threads only. Neither is taken.
//
// Its buffers: 128 MiB of addresses for each call that runs at the same time, of which it touches what it copies
// operands to, a few MiB.
#include <algorithm>
#include <fmt/format.h>

#include "engine/kernels/product/blas/blas_product.h"
#include "engine/kernels/product/blas/widened_product.h"
#include "engine/kernels/product/panels/panel_backend.h"
#include "engine/kernels/product/panels/panel_trial.h"

namespace phasor::kernels {

namespace {

// Its kernel of AVX-512, by the name under which a library for many kinds of processors has it: the library tells
// processors by their numbers and may not know new ones. Those with 2 MiB of second-level cache take panels twice as
// deep, of half as many rows: sums are read and written half as often.
PanelKernel panel_kernel(const BlasLibrary& library) {
  const InstructionSet set = instruction_set();
  if (set != InstructionSet::avx512 && set < InstructionSet::avx512_bf16_halved) return {};
  const bool has_large_cache = set >= InstructionSet::avx512_bf16_halved;
  const PanelKernel kernel{.rows = 4,
                           .columns = 16,
                           .depth = has_large_cache ? 768 : 384,
                           .most_rows = has_large_cache ? 96 : 192,
                           .multiply = library.function<PanelKernel::Multiply>("sgemm_kernel_SKYLAKEX")};
  return kernel.multiply != nullptr && multiplies(kernel) ? kernel : PanelKernel{};
}

struct OpenBlas {
  OpenBlas() {
    const BlasLibrary library(PHASOR_OPENBLAS_LIBRARY);
    constexpr int kThreadsOfPosix = 1;
    const auto threading = library.function<int (*)()>("openblas_get_parallel");
    const auto set_threads = library.function<void (*)(int)>("openblas_set_num_threads");
    if (threading == nullptr || set_threads == nullptr || threading() != kThreadsOfPosix) return;
    set_threads(1);
    sgemm = library.function<Sgemm>("cblas_sgemm");
    config = library.function<const char* (*)()>("openblas_get_config");
    core = library.function<const char* (*)()>("openblas_get_corename");
    panels = panel_kernel(library);
  }

  Sgemm sgemm = nullptr;
  const char* (*config)() = nullptr;
  const char* (*core)() = nullptr;
  PanelKernel panels;  // without `multiply` where it is not there
};

const OpenBlas& openblas() {
  static const OpenBlas kLibrary;
  return kLibrary;
}

constexpr Tile kTile{.rows = 384, .columns = 3072, .least_rows = 64, .least_columns = 192};

struct Panels {
  static constexpr std::string_view kName = "openblas", kInPanels = "openblas, in panels";
  static const PanelKernel& kernel() { return openblas().panels; }
  static bool takes(const ProductShape& s) { return is_for_blas(s) || is_for_widening(s); }
};

}  // namespace

ProductBackend openblas_panel_products() { return panel_products<Panels>(); }

ProductBackend openblas_products() {
  return {.name = "openblas, as it lies",
          .serves = [](const ProductShape& s) { return is_for_blas(s) && openblas().sgemm != nullptr; },
          .scratch_bytes = [](const ProductShape&) -> std::int64_t { return 0; },
          .make = [](const ProductShape& s, int) { return blas_product("openblas", openblas().sgemm, s); },
          .tile = kTile};
}

ProductBackend openblas_widened_products() {
  return {.name = "openblas, widened",
          .serves = [](const ProductShape& s) { return is_for_widening(s) && openblas().sgemm != nullptr; },
          .scratch_bytes = widened_scratch_bytes,
          .make = [](const ProductShape& s, int) { return widened_product("openblas", openblas().sgemm, s); },
          .tile = kTile};
}

// The library says "OpenBLAS 0.3.21 " and how it was built.
std::string openblas_version() {
  const OpenBlas& library = openblas();
  if (library.sgemm == nullptr || library.config == nullptr || library.core == nullptr) return {};
  std::string_view version = library.config();
  version.remove_prefix(std::min(version.find(' ') + 1, version.size()));
  const std::string_view core = library.core(), of_panels = "SkylakeX";
  const bool differs = library.panels.multiply != nullptr && of_panels != core;
  return fmt::format("{} for {}{}{}", version.substr(0, version.find(' ')), core, differs ? ", in panels for " : "",
                     differs ? of_panels : "");
}

}  // namespace phasor::kernels
