// OpenBLAS, built for threads of POSIX and told to use one. Its build without threads hands the same buffer to two
// calls that begin at the same moment (version 0.3.21 of Debian, "serial"): their sums are wrong now and then. A build
// for OpenMP guards its buffers for OpenMP's own threads only. Neither is taken.
//
// Its buffers: 128 MiB of addresses for each call that runs at the same time, of which it touches what it copies
// operands to, a few MiB.
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <iterator>

#include "engine/kernels/product/blas/blas_product.h"
#include "engine/kernels/product/blas/widened_product.h"
#include "engine/kernels/product/panels/panel_product.h"
#include "engine/kernels/product/panels/panel_trial.h"
#include "engine/kernels/product/product_table.h"

namespace phasor::kernels {

namespace {

// The kind of processors whose kernel multiplies panels; empty: none. The library tells processors by their numbers and
// may not know new ones; Intel's with AVX-512 are told by the set. Other kinds have other tiles.
std::string_view panel_core(std::string_view core) {
  const InstructionSet set = instruction_set();
  if (set == InstructionSet::avx512 || set >= InstructionSet::avx512_bf16_halved) return "SkylakeX";
  return core == "Haswell" || core == "Zen" ? core : std::string_view();
}

// By the name under which a library for many kinds of processors has it.
PanelKernel panel_kernel(const BlasLibrary& library, std::string_view core) {
  if (core.empty()) return {};
  std::string name = "sgemm_kernel_";
  std::ranges::transform(core, std::back_inserter(name), [](unsigned char c) { return std::toupper(c); });
  // Processors with AVX-512 have second-level caches of a MiB or more, others half of that.
  const bool is_large = core == "SkylakeX";
  const PanelKernel kernel{.rows = is_large ? 4 : 12,
                           .columns = 16,
                           .depth = 384,
                           .most_rows = is_large ? 192 : 96,
                           .multiply = library.function<decltype(PanelKernel::multiply)>(name.c_str())};
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
    if (core != nullptr) panels = panel_kernel(library, panel_core(core()));
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

// Panels are packed ahead where no tile is filled up, as matrices of other libraries are.
constexpr std::int64_t kWhole = 64;
constexpr Tile kTile{.rows = 384, .columns = 3072, .least_rows = 64, .least_columns = 192};

}  // namespace

ProductBackend openblas_panel_products() {
  return {.name = "openblas, in panels",
          .serves =
              [](const ProductShape& s) {
                ProductShape as_it_lies = s;
                as_it_lies.packed_b = false;
                return (is_for_blas(as_it_lies) || is_for_widening(as_it_lies)) &&
                       (s.packed_b || class_of(s) != ShapeClass::skinny) && openblas().panels.multiply != nullptr;
              },
          .scratch_bytes =
              [](const ProductShape& s) { return PanelProduct("openblas", openblas().panels, s, 1).scratch_bytes(); },
          .make = [](const ProductShape& s, int workers) -> std::unique_ptr<Product> {
            return std::make_unique<PanelProduct>("openblas", openblas().panels, s, workers);
          },
          .make_team = [](const ProductShape& s, int workers) -> std::unique_ptr<TeamProduct> {
            return std::make_unique<PanelProduct>("openblas", openblas().panels, s, workers, workers);
          },
          .packed_b_bytes = [](const ProductShape& s) -> std::int64_t {
            const bool is_whole = s.n % kWhole == 0 && s.k % kWhole == 0;
            return is_whole ? PanelPacking::bytes(openblas().panels, s) : 0;
          },
          .make_packing = [](const ProductShape& s) -> std::unique_ptr<Packing> {
            return std::make_unique<PanelPacking>(openblas().panels, s);
          }};
}

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
  const std::string_view core = library.core(), of_panels = panel_core(core);
  const bool differs = library.panels.multiply != nullptr && of_panels != core;
  return fmt::format("{} for {}{}{}", version.substr(0, version.find(' ')), core, differs ? ", in panels for " : "",
                     differs ? of_panels : "");
}

}  // namespace phasor::kernels
