// Backends are compared with the one that training takes, and with backends that are planted.
#include "bench/timed_product.h"

#include <cstring>
#include <gtest/gtest.h>
#include <map>

#include "bench/product_rate.h"
#include "engine/base/error.h"
#include "engine/base/parallel.h"

namespace phasor::bench {
namespace {

using kernels::ProductBackend;
using kernels::ProductShape;

constexpr ProductSize kSize{.m = 200, .n = 256, .k = 512};

// Multiplies once, and then knows the rows that it returns: no library is as fast. `wrong` is added to them.
class Remembered final : public kernels::Product {
 public:
  Remembered(const ProductShape& shape, float wrong)
      : shape_(shape), wrong_(wrong), product_(kernels::make_product(shape, 8)) {}

  std::string_view backend() const override { return "remembered"; }
  std::int64_t scratch_bytes() const override { return product_->scratch_bytes(); }

  void run(int worker, const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const override {
    std::vector<float>& rows = rows_[a];
    if (rows.empty()) {
      product_->run(worker, a, b, bias, c, scratch);
      const auto* computed = static_cast<const float*>(c);
      rows.assign(computed, computed + shape_.m * shape_.n);
      for (float& x : rows) x += wrong_;
    }
    std::memcpy(c, rows.data(), rows.size() * sizeof(float));
  }

 private:
  ProductShape shape_;
  float wrong_;
  std::unique_ptr<kernels::Product> product_;
  mutable std::map<const void*, std::vector<float>> rows_;
};

template <int kWrong>
ProductBackend remembered() {
  return {.name = "remembered",
          .serves = [](const ProductShape& s) { return !s.packed_b && s.operands == DType::f32; },
          .scratch_bytes = [](const ProductShape&) -> std::int64_t { return 0; },
          .make = [](const ProductShape& s, int) -> std::unique_ptr<kernels::Product> {
            return std::make_unique<Remembered>(s, kWrong);
          }};
}

// Multiplies so often that nobody would take it.
class Slow final : public kernels::Product {
 public:
  explicit Slow(const ProductShape& shape) : product_(kernels::make_product(shape, 8)) {}

  std::string_view backend() const override { return "slow"; }
  std::int64_t scratch_bytes() const override { return product_->scratch_bytes(); }

  void run(int worker, const void* a, const void* b, const float* bias, void* c, std::byte* scratch) const override {
    for (int i = 0; i < kTimes; ++i) product_->run(worker, a, b, bias, c, scratch);
  }

 private:
  static constexpr int kTimes = 30;  // however busy the machine

  std::unique_ptr<kernels::Product> product_;
};

ProductBackend slow() {
  ProductBackend backend = remembered<0>();
  backend.name = "slow";
  backend.make = [](const ProductShape& s, int) -> std::unique_ptr<kernels::Product> {
    return std::make_unique<Slow>(s);
  };
  return backend;
}

ProductRate sampled(const std::vector<ProductBackend>& backends, DType precision = DType::f32) {
  ProductRate rate({kSize, kSize}, precision, 1, backends);
  for (int i = 0; i < 5; ++i) rate.sample();
  return rate;
}

TEST(TimedProduct, ABackendThatIsFasterIsTheBestAndIsNoted) {
  const ProductRate rate = sampled({remembered<0>(), kernels::reference_products()});
  EXPECT_EQ(rate.best().backends, "remembered");
  EXPECT_GT(rate.best().flops_per_second, 1.05 * rate.own().flops_per_second);
  ASSERT_EQ(rate.notes().size(), 1u);  // a line for a shape, however often it occurs
  EXPECT_NE(rate.notes()[0].find("200 x 256 x 512 of f32 is served by " + rate.own().backends + ", and remembered is"),
            std::string::npos)
      << rate.notes()[0];
}

// The last of the backends never competes, and plain loops are too slow to be sampled.
TEST(TimedProduct, WithoutAFasterBackendTrainingsIsTheBest) {
  for (const auto& backends : {std::vector{kernels::reference_products()},
                               std::vector{kernels::reference_products(), kernels::reference_products()}}) {
    const ProductRate rate = sampled(backends);
    EXPECT_GT(rate.own().flops_per_second, 0);
    EXPECT_EQ(rate.best().backends, rate.own().backends);
    EXPECT_EQ(rate.best().flops_per_second, rate.own().flops_per_second);
    EXPECT_TRUE(rate.notes().empty());
  }
}

TEST(TimedProduct, LeavesOutWhatIsHopeless) {
  const std::vector backends{slow(), remembered<0>(), kernels::reference_products()};
  set_threads(1);
  EXPECT_EQ(product_ways(training_product(kSize, DType::f32), 1, backends).size(),
            5u);  // in one piece and in four each
  EXPECT_EQ(TimedProduct(training_product(kSize, DType::f32), 1, backends).ways(), 3u);
}

// Its scratch is for the threads that it was told.
TEST(TimedProduct, RefusesALargerTeam) {
  const auto shape = training_product(kSize, DType::f32);
  set_threads(3);
  EXPECT_THROW(product_ways(shape, 1), InternalError);
  EXPECT_FALSE(product_ways(shape, 3).empty());
}

TEST(TimedProduct, ABackendDoesNotCompeteWhereItServesNot) {
  const ProductRate rate = sampled({remembered<0>(), kernels::reference_products()}, DType::bf16);
  EXPECT_EQ(rate.best().backends, rate.own().backends);
}

TEST(TimedProduct, RefusesABackendThatIsWrong) {
  EXPECT_THROW(sampled({remembered<1>(), kernels::reference_products()}), InternalError);
}

// Every backend there is, in every layout and precision of training, on teams with pieces that are not all as high.
TEST(TimedProduct, AllBackendsAgree) {
  for (const ProductSize& size : {kSize, ProductSize{.m = 200, .n = 96, .k = 64, .transpose_b = true},
                                  ProductSize{.m = 200, .n = 96, .k = 64, .transpose_a = true}}) {
    for (const DType precision : {DType::f32, DType::bf16}) {
      for (const int threads : {1, 3}) {
        set_threads(threads);
        const auto ways = product_ways(training_product(size, precision), threads);
        // With AVX2 and without OpenBLAS, one backend is all that there is.
        EXPECT_GT(ways.size(), kernels::has_backend("openblas") ? 1u : 0u);
        for (const ProductWay& way : ways) way.run();
      }
    }
  }
}

}  // namespace
}  // namespace phasor::bench
