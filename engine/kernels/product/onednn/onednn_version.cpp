#include "engine/kernels/product/onednn/onednn_version.h"

#include "engine/kernels/product/product.h"

namespace phasor::kernels {

#if DNNL_VERSION_MAJOR >= 3

dnnl::matmul::primitive_desc describe_product(const dnnl::engine& engine, const dnnl::memory::desc& a,
                                              const dnnl::memory::desc& b, const dnnl::memory::desc* bias,
                                              const dnnl::memory::desc& c, const dnnl::primitive_attr& attributes) {
  constexpr bool kMayBeEmpty = true;
  if (bias != nullptr) return {engine, a, b, *bias, c, attributes, kMayBeEmpty};
  return {engine, a, b, c, attributes, kMayBeEmpty};
}

#else

dnnl::matmul::primitive_desc describe_product(const dnnl::engine& engine, const dnnl::memory::desc& a,
                                              const dnnl::memory::desc& b, const dnnl::memory::desc* bias,
                                              const dnnl::memory::desc& c, const dnnl::primitive_attr& attributes) {
  constexpr bool kMayBeEmpty = true;
  const dnnl::matmul::desc product = bias != nullptr ? dnnl::matmul::desc(a, b, *bias, c) : dnnl::matmul::desc(a, b, c);
  return {product, attributes, engine, kMayBeEmpty};
}

#endif

std::string onednn_version() {
  const dnnl_version_t* version = dnnl_version();
  return std::to_string(version->major) + "." + std::to_string(version->minor) + "." + std::to_string(version->patch);
}

}  // namespace phasor::kernels
