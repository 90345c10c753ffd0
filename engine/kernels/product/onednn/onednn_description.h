// How products are put to oneDNN.
//
// Each is made and run as if the process had one thread, so that oneDNN never spreads the work itself: its bits then
// depend on the shape alone.
#pragma once

#include <omp.h>
#include <optional>

#include "engine/kernels/product/onednn/onednn_engine.h"
#include "engine/kernels/product/onednn/onednn_version.h"
#include "engine/kernels/product/product.h"

namespace phasor::kernels {

// While it lives, OpenMP offers the calling thread nobody but itself.
class OneThread {
 public:
  OneThread() : before_(omp_get_max_threads()) {
    if (before_ != 1) omp_set_num_threads(1);
  }
  ~OneThread() {
    if (before_ != 1) omp_set_num_threads(before_);
  }
  OneThread(const OneThread&) = delete;
  OneThread& operator=(const OneThread&) = delete;

 private:
  int before_;
};

// A product of dense matrices as oneDNN sees it.
struct OneDnnDescription {
  dnnl::engine engine = onednn_engine();
  dnnl::memory::desc a, b, bias, c;
  dnnl::matmul::primitive_desc product;
};

// Empty where oneDNN has no implementation, or none that is welcome.
std::optional<OneDnnDescription> describe(const ProductShape& shape);

// How oneDNN wants b packed; empty where it has no layout for it that needs no padding.
std::optional<dnnl::memory::desc> packed_layout(const ProductShape& shape);

dnnl::memory::data_type onednn_type(DType type);

inline void point(const dnnl::memory& what, const void* data) { what.set_data_handle(const_cast<void*>(data)); }

// By the C interface, because the C++ one builds a map of the arguments for every call.
inline void execute(const dnnl::primitive& what, const dnnl::stream& stream, const dnnl_exec_arg_t* arguments,
                    int count) {
  dnnl::error::wrap_c_api(dnnl_primitive_execute(what.get(), stream.get(), count, arguments), "oneDNN failed");
}

}  // namespace phasor::kernels
