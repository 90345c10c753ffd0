#include "bench/product_rate.h"

#include <gtest/gtest.h>
#include <tuple>

#include "models/bert/stages.h"

namespace phasor::bench {
namespace {

// A layer's four linears, each forward and in both gradients, and not the head's, which is one product of all.
TEST(ProductRate, TheHeaviestProductsAreALayers) {
  const bert::Config model{.layers = 3,
                           .hidden_size = 8,
                           .heads = 2,
                           .intermediate_size = 24,
                           .sequence_length = 5,
                           .max_positions = 5,
                           .vocab_size = 100};
  std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t, bool, bool>> products;
  for (const ProductSize& p : heaviest_products(bert::training_stages(model, 2))) {
    products.emplace_back(p.m, p.n, p.k, p.transpose_a, p.transpose_b);
  }
  decltype(products) expected;
  for (const auto& [inputs, outputs] : {std::pair{8, 24}, {8, 8}, {8, 24}, {24, 8}}) {
    expected.emplace_back(10, outputs, inputs, false, true);
    expected.emplace_back(10, inputs, outputs, false, false);
    expected.emplace_back(outputs, inputs, 10, true, false);
  }
  EXPECT_EQ(products, expected);
}

TEST(ProductRate, AModelWithoutProductsHasNoLimit) {
  const ProductRate rate(heaviest_products({}), DType::f32, 1);
  for (const BackendRate& limit : {rate.own(), rate.best()}) {
    EXPECT_EQ(limit.flops_per_second, 0);
    EXPECT_EQ(limit.backends, "");
  }
  EXPECT_TRUE(rate.notes().empty());
}

}  // namespace
}  // namespace phasor::bench
