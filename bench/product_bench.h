// Every backend of products on the shapes of a layer: what the table of who serves which (engine/kernels/product/
// product_table.cpp) is made from.
#pragma once

#include <string>
#include <vector>

#include "engine/kernels/product/product.h"

namespace phasor::bench {

struct ProductCase {
  std::string name;
  kernels::ProductShape shape;
  // Each thread of the team runs one of its own as a whole, as attention does; else the team shares one.
  bool alone = false;
};

// Of BERT with so wide a hidden layer: its linears, forward and backward, and the products of a head.
std::vector<ProductCase> layer_products(std::int64_t hidden, DType precision);

struct ProductTime {
  std::string backend;  // empty: the one that serves unless told otherwise
  double flops_per_second = 0;
};

// The fastest of `rounds` runs of each backend that is there, by turns, as others on the machine only make a run
// slower; those that do not serve the shape are left out.
std::vector<ProductTime> time_product(const ProductCase& c, int threads, int rounds);

}  // namespace phasor::bench
