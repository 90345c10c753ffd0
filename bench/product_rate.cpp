#include "bench/product_rate.h"

#include <algorithm>
#include <fmt/format.h>

#include "engine/base/parallel.h"

namespace phasor::bench {

std::vector<ProductSize> heaviest_products(const Stages& stages) {
  std::vector<ProductSize> heaviest;
  double most_flops = 0;
  for (const Stage& stage : stages) {
    std::vector<ProductSize> products;
    double flops = 0;
    for (const Node& node : stage.graph.nodes) {
      if (node.op != Op::matmul) continue;
      const Shape& y = stage.graph.spec(node.outputs[0]).shape;
      const std::int64_t n = y[y.rank() - 1], m = y.elements() / n;
      const std::int64_t k = stage.graph.spec(node.inputs[0]).elements() / m;
      products.push_back({.m = m, .n = n, .k = k, .transpose_b = true});  // y = x w'
      flops += 2.0 * static_cast<double>(stage.instances * m * n * k);
      products.push_back({.m = m, .n = k, .k = n});                       // dx = dy w
      products.push_back({.m = n, .n = k, .k = m, .transpose_a = true});  // dw = dy' x
    }
    if (flops <= most_flops) continue;
    most_flops = flops;
    heaviest = std::move(products);
  }
  return heaviest;
}

ProductRate::ProductRate(const std::vector<ProductSize>& sizes, DType precision, int threads,
                         std::span<const kernels::ProductBackend> backends)
    : threads_(threads) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (std::find(sizes.begin(), sizes.begin() + i, sizes[i]) != sizes.begin() + i) continue;
    const auto times = static_cast<double>(std::ranges::count(sizes, sizes[i]));
    products_.push_back({TimedProduct(training_product(sizes[i], precision), threads, backends), times});
  }
}

void ProductRate::sample() {
  set_threads(threads_);
  // Every run follows one of another product, so that no way finds its operands in the caches where others do not.
  bool more = true;
  for (std::size_t way = 0; more; ++way) {
    more = false;
    for (Repeated& repeated : products_) {
      if (way >= repeated.product.ways()) continue;
      repeated.product.sample(way);
      more = true;
    }
  }
}

BackendRate ProductRate::own() const { return rate(&TimedProduct::own); }
BackendRate ProductRate::best() const { return rate(&TimedProduct::best); }

BackendRate ProductRate::rate(TimedProduct::Time (TimedProduct::*time)() const) const {
  double flops = 0, seconds = 0;
  std::vector<std::pair<double, std::string>> by_work;
  for (const auto& [product, times] : products_) {
    const TimedProduct::Time taken = (product.*time)();
    flops += times * product.flops();
    seconds += times * taken.seconds;
    auto found = std::ranges::find(by_work, taken.backend, &std::pair<double, std::string>::second);
    if (found == by_work.end()) found = by_work.insert(found, {0, taken.backend});
    found->first += times * product.flops();
  }
  std::ranges::stable_sort(by_work, std::greater(), &std::pair<double, std::string>::first);
  std::string names;
  for (const auto& [work, name] : by_work) names += (names.empty() ? "" : ", ") + name;
  return {names, seconds > 0 ? flops / seconds : 0};
}

std::vector<std::string> ProductRate::notes() const {
  std::vector<std::string> notes;
  for (const Repeated& repeated : products_) {
    if (std::string note = note_of(repeated.product); !note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

std::string note_of(const TimedProduct& product) {
  const TimedProduct::Time own = product.own(), best = product.best();
  if (best.backend == own.backend) return {};
  const kernels::ProductShape& s = product.shape();
  return fmt::format("the product {} x {} x {} of {}{}{} is served by {}, and {} is {:.2f} times as fast", s.m, s.n,
                     s.k, name_of(s.operands), s.transpose_a ? ", a transposed" : "",
                     s.transpose_b ? ", b transposed" : "", own.backend, best.backend, own.seconds / best.seconds);
}

}  // namespace phasor::bench
