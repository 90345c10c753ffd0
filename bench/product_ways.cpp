#include "bench/product_ways.h"

#include <cmath>
#include <limits>

#include "engine/base/bfloat16.h"
#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/base/tensor.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/matmul.h"

namespace phasor::bench {

namespace {

using kernels::ProductShape;

void fill(const Tensor& tensor, std::uint32_t stream) {
  if (tensor.spec().dtype == DType::f32) return fill_truncated_normal(1, stream, 1, tensor.as<float>());
  std::vector<float> values(static_cast<std::size_t>(tensor.spec().elements()));
  fill_truncated_normal(1, stream, 1, values);
  kernels::convert(values, tensor.as<bfloat16>());
}

Tensor packed(ProductShape shape, const Tensor& b) {
  shape.packed_b = false;  // yet
  Tensor result({shape.operands, {kernels::packed_b_bytes(shape) / size_of(shape.operands)}});
  const auto packing = kernels::make_packing(shape);
  for (std::int64_t slice = 0; slice < packing->slices(); ++slice) {
    packing->run(slice, b.view().data, result.view().data);
  }
  return result;
}

// What all ways share.
struct Matrices {
  explicit Matrices(const ProductShape& s)
      : a({s.operands, {s.m, s.k}}), b({s.operands, {s.k, s.n}}), c({s.result, {s.m, s.n}}) {
    fill(a, 0);
    fill(b, 1);
    if (s.packed_b) packed_b = packed(s, b);
  }

  std::vector<float> result() const {
    std::vector<float> values(static_cast<std::size_t>(c.spec().elements()));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = c.spec().dtype == DType::f32 ? c.as<float>()[i] : to_float(c.as<bfloat16>()[i]);
    return values;
  }

  void forget_result() const {
    constexpr float kNone = std::numeric_limits<float>::quiet_NaN();
    if (c.spec().dtype == DType::f32) {
      std::ranges::fill(c.as<float>(), kNone);
    } else {
      std::ranges::fill(c.as<bfloat16>(), to_bfloat16(kNone));
    }
  }

  Tensor a, b, packed_b, c;
};
using SharedMatrices = std::shared_ptr<const Matrices>;

ProductWay way_of_training(const ProductShape& shape, int threads, const SharedMatrices& matrices) {
  const auto product = std::make_shared<const kernels::Matmul>(shape, threads);
  const auto scratch = std::make_shared<const Tensor>(TensorSpec{DType::f32, {product->scratch_bytes() / 4}});
  return {std::string(product->backend()), [=, &b = shape.packed_b ? matrices->packed_b : matrices->b] {
            product->run(matrices->a.view().data, b.view().data, nullptr, matrices->c.view().data,
                         std::as_writable_bytes(scratch->as<float>()));
          }};
}

// Rows of c by one backend, in pieces of as many, but for the last.
class Pieces {
 public:
  Pieces(const ProductShape& shape, std::int64_t rows, const kernels::ProductBackend& backend)
      : shape_(kernels::whole(shape)), rows_(rows), backend_(backend) {
    if (shape_.packed_b && (!is_packer() || !serves_all())) shape_.packed_b = false;
  }

  // Others want b otherwise.
  bool is_packer() const { return kernels::backend_of(shape_).name == backend_.name; }

  bool serves_all() const {
    return backend_.serves(of_rows(rows_)) && (shape_.m % rows_ == 0 || backend_.serves(of_rows(shape_.m % rows_)));
  }

  ProductWay way(int threads, const SharedMatrices& matrices) const {
    const std::shared_ptr<const kernels::Product> product = backend_.make(of_rows(rows_), threads);
    const std::shared_ptr<const kernels::Product> last =
        shape_.m % rows_ == 0 ? product : backend_.make(of_rows(shape_.m % rows_), threads);
    const std::int64_t bytes = std::max(product->scratch_bytes(), last->scratch_bytes());
    const auto scratch = std::make_shared<const Tensor>(TensorSpec{DType::f32, {threads * bytes / 4}});
    const std::int64_t a_step = rows_ * (shape_.transpose_a ? 1 : shape_.lda) * size_of(shape_.operands);
    const std::int64_t c_step = rows_ * shape_.ldc * size_of(shape_.result);
    const std::int64_t count = (shape_.m + rows_ - 1) / rows_;
    const auto* a = static_cast<const std::byte*>(matrices->a.view().data);
    const void* b = (shape_.packed_b ? matrices->packed_b : matrices->b).view().data;
    auto* c = static_cast<std::byte*>(matrices->c.view().data);
    return {std::string(product->backend()), [=] {
              parallel_for(count, [&](std::int64_t i, int worker) {
                (i + 1 < count ? product : last)
                    ->run(worker, a + i * a_step, b, nullptr, c + i * c_step,
                          std::as_writable_bytes(scratch->as<float>()).data() + worker * bytes);
              });
              (void)matrices;  // keeps them
            }};
  }

 private:
  ProductShape of_rows(std::int64_t rows) const {
    ProductShape piece = shape_;
    piece.m = rows;
    return piece;
  }

  ProductShape shape_;
  std::int64_t rows_;
  kernels::ProductBackend backend_;
};

// About as many rows for each of `pieces`: a multiple of what kernels take at a time.
std::int64_t rows_of_piece(std::int64_t rows, std::int64_t pieces) {
  constexpr std::int64_t kBlockRows = 32;
  return std::min(rows, ((rows + pieces - 1) / pieces + kBlockRows - 1) / kBlockRows * kBlockRows);
}

void verify(const std::string& backend, const std::vector<float>& actual, const std::vector<float>& expected,
            DType type) {
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max<double>(largest, std::abs(expected[i]));
    error = std::max<double>(error, std::isnan(actual[i]) ? HUGE_VAL : std::abs(actual[i] - expected[i]));
  }
  const double tolerance = type == DType::f32 ? 4096 * 0x1p-24 : 16 * 0x1p-9;  // as of a KernelCase
  ensure(error <= tolerance * largest, "{}: a product is off by {}, where the largest element is {}", backend, error,
         largest);
}

}  // namespace

std::vector<ProductWay> product_ways(const ProductShape& shape, int threads,
                                     std::span<const kernels::ProductBackend> backends) {
  ensure(phasor::threads() <= threads, "products for teams of {} on a team of {}", threads, phasor::threads());
  const auto matrices = std::make_shared<const Matrices>(shape);
  std::vector<ProductWay> ways{way_of_training(shape, threads, matrices)};
  ways[0].run();
  const std::vector<float> expected = matrices->result();
  for (const kernels::ProductBackend& backend : backends.first(backends.size() - 1)) {
    for (const std::int64_t pieces : {1, 4}) {
      const Pieces cut(shape, rows_of_piece(shape.m, pieces * threads), backend);
      if (!cut.serves_all()) continue;
      ProductWay way = cut.way(threads, matrices);
      if (way.backend == ways[0].backend) continue;
      matrices->forget_result();
      way.run();
      verify(way.backend, matrices->result(), expected, shape.operands);
      ways.push_back(std::move(way));
    }
  }
  return ways;
}

}  // namespace phasor::bench
