#include "models/machine/facts.h"

#include <fstream>
#include <string>
#include <thread>

#include "engine/kernels/product/product.h"

namespace phasor::run {

namespace {

// As the kernel of Linux calls it; "unknown" where it has no name.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t begin = line.find_first_not_of(" \t", line.find(':') + 1);
    return begin == std::string::npos ? "unknown" : line.substr(begin);
  }
  return "unknown";
}

// The widest of those that decide how fast products are, which the compiler was free to use.
constexpr const char* instructions_of_build() {
#if defined(__AMX_BF16__)
  return "amx";
#elif defined(__AVX512BF16__)
  return "avx512_bf16";
#elif defined(__AVX512F__)
  return "avx512";
#elif defined(__AVX2__)
  return "avx2";
#else
  return "baseline";
#endif
}

}  // namespace

nlohmann::ordered_json machine_facts(int threads) {
  return {{"processor", processor_name()}, {"cores", std::thread::hardware_concurrency()}, {"threads", threads}};
}

nlohmann::ordered_json version_facts() {
  return {{"phasor", PHASOR_VERSION},
          {"compiler", PHASOR_COMPILER},
          {"instructions", instructions_of_build()},
          {"onednn", kernels::onednn_version()},
          {"openblas", kernels::openblas_version()},
          {"blis", kernels::blis_version()},
          {"eigen", PHASOR_EIGEN},
          {"products", std::string(kernels::instruction_row())}};
}

}  // namespace phasor::run
