#include "engine/kernels/product/blas/blis_library.h"

#include <algorithm>
#include <array>

namespace phasor::kernels {

namespace {

// Blis::Settings and blis_panel_kernel.cpp are for all of these.
struct Version {
  std::string_view name;
  std::size_t place_of_kernel;
};
constexpr std::array kVersions{Version{"0.9.0", 912}, Version{"1.1", 2456}};  // Debian 12's and 13's

Blis load() {
  const BlasLibrary library(PHASOR_BLIS_LIBRARY);
  const auto version = library.function<const char* (*)()>("bli_info_get_version_str");
  const auto bits_of_sizes = library.function<std::int64_t (*)()>("bli_info_get_int_type_size");
  const auto begin = library.function<void (*)()>("bli_init");
  const auto processor = library.function<int (*)()>("bli_arch_query_id");
  const auto name_of = library.function<const char* (*)(int)>("bli_arch_string");
  const auto set_threads = library.function<void (*)(std::int64_t)>("bli_thread_set_num_threads");
  if (version == nullptr || bits_of_sizes == nullptr || bits_of_sizes() != 64) return {};
  const auto* const known = std::ranges::find(kVersions, version(), &Version::name);
  if (known == kVersions.end()) return {};
  if (begin == nullptr || processor == nullptr || name_of == nullptr || set_threads == nullptr) return {};
  begin();
  set_threads(1);
  const std::string name = name_of(processor());
  return {.multiply = library.function<Blis::Multiply>("bli_sgemm_ex"),
          .multiply_small = library.function<Sgemm>("cblas_sgemm"),
          .panels = blis_panel_kernel(library, name, known->place_of_kernel),
          .version = known->name,
          .processor = name};
}

}  // namespace

const Blis& blis() {
  static const Blis kLibrary = load();
  return kLibrary;
}

}  // namespace phasor::kernels
