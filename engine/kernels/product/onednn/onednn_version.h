// What differs between oneDNN 2.6 and 3.
#pragma once

#include <dnnl.hpp>

namespace phasor::kernels {

// The product c = a b, or c = a b + bias where `bias` is not null; empty where oneDNN has none such.
dnnl::matmul::primitive_desc describe_product(const dnnl::engine& engine, const dnnl::memory::desc& a,
                                              const dnnl::memory::desc& b, const dnnl::memory::desc* bias,
                                              const dnnl::memory::desc& c, const dnnl::primitive_attr& attributes);

}  // namespace phasor::kernels
