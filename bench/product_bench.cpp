#include "bench/product_bench.h"

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <memory>

#include "bench/kernels/case.h"
#include "bench/timing.h"
#include "engine/base/parallel.h"
#include "engine/base/random.h"
#include "engine/base/tensor.h"
#include "engine/kernels/elementwise.h"
#include "engine/kernels/matmul.h"
#include "engine/kernels/product/product_backends.h"

namespace phasor::bench {

namespace {

// Of a block (engine/kernels/attention/query_blocks.h).
constexpr std::int64_t kForwardQueries = 192, kBackwardQueries = 128;

Tensor filled(DType type, std::int64_t elements, std::uint32_t stream) {
  Tensor tensor({type, {elements}});
  if (type == DType::f32) {
    fill_truncated_normal(1, stream, 1, tensor.as<float>());
  } else {
    std::vector<float> values(static_cast<std::size_t>(elements));
    fill_truncated_normal(1, stream, 1, values);
    kernels::convert(values, tensor.as<bfloat16>());
  }
  return tensor;
}

// The operands of a case for one thread: each has its own, as each works on a head of its own.
struct Operands {
  Operands(const kernels::ProductShape& s, std::int64_t scratch_bytes)
      : a(filled(s.operands, (s.transpose_a ? s.k : s.m) * s.lda, 0)),
        b(filled(s.operands, (s.transpose_b ? s.n : s.k) * s.ldb, 1)),
        c({s.result, {s.m * s.ldc}}),
        scratch({DType::f32, {scratch_bytes / 4}}) {}
  std::span<std::byte> scratch_bytes() { return std::as_writable_bytes(scratch.as<float>()); }

  Tensor a, b, c, scratch;
};

// On one thread by its processor time, which others on the machine hardly change; of a team by the wall clock.
template <class Work>
double seconds_of_team(int threads, Work&& work) {
  if (threads > 1) return seconds_of(work);
  const auto now = [] {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  };
  const double start = now();
  work();
  return now() - start;
}

// One backend's way to do a case.
class Contender {
 public:
  Contender(kernels::ProductShape shape, bool alone, int threads) : threads_(threads) {
    const kernels::ProductShape whole = kernels::whole(shape);
    shape.packed_b = !alone && !shape.transpose_a && kernels::packed_b_bytes(shape) > 0;
    if (alone) {
      product_ = kernels::make_product(shape, threads);
      for (int i = 0; i < threads; ++i) operands_.emplace_back(whole, product_->scratch_bytes());
    } else {
      matmul_ = std::make_unique<kernels::Matmul>(shape, threads);
      operands_.emplace_back(whole, matmul_->scratch_bytes());
    }
    if (shape.packed_b) pack(shape);
  }

  std::string_view backend() const { return product_ ? product_->backend() : matmul_->backend(); }

  void run() {
    if (matmul_) {
      Operands& o = operands_.front();
      matmul_->run(o.a.view().data, o.b.view().data, nullptr, o.c.view().data, o.scratch_bytes());
      return;
    }
    constexpr std::int64_t kHeads = 12;
    parallel_for(threads_ * kHeads, [&](std::int64_t, int worker) {
      Operands& o = operands_[worker];
      product_->run(worker, o.a.view().data, o.b.view().data, nullptr, o.c.view().data, o.scratch_bytes().data());
    });
  }
  double flops(const kernels::ProductShape& s) const {
    constexpr double kHeads = 12;
    return 2.0 * static_cast<double>(s.m * s.n * s.k) * (matmul_ ? 1 : kHeads * threads_);
  }

 private:
  void pack(kernels::ProductShape shape) {
    shape.packed_b = false;  // yet
    const auto packing = kernels::make_packing(shape);
    Tensor packed({shape.operands, {kernels::packed_b_bytes(shape) / size_of(shape.operands)}});
    for (std::int64_t i = 0; i < packing->slices(); ++i) {
      packing->run(i, operands_.front().b.view().data, packed.view().data);
    }
    operands_.front().b = std::move(packed);
  }

  int threads_;
  std::unique_ptr<kernels::Product> product_;
  std::unique_ptr<kernels::Matmul> matmul_;
  std::vector<Operands> operands_;
};

}  // namespace

std::vector<ProductCase> layer_products(std::int64_t hidden, DType precision) {
  const struct {
    const char* name;
    std::int64_t out, in;
  } linears[] = {{"qkv", 3 * hidden, hidden},
                 {"projection", hidden, hidden},
                 {"up", 4 * hidden, hidden},
                 {"down", hidden, 4 * hidden}};
  std::vector<ProductCase> cases;
  const auto add = [&](std::string name, kernels::ProductShape s, bool alone) {
    s.operands = precision;
    if (!s.accumulate) s.result = s.transpose_a ? DType::f32 : precision;
    cases.push_back({.name = std::move(name), .shape = s, .alone = alone});
  };
  for (const auto& [name, out, in] : linears) {
    add(fmt::format("{} forward", name), {.m = kTokens, .n = out, .k = in, .transpose_b = true}, false);
    add(fmt::format("{} input gradient", name), {.m = kTokens, .n = in, .k = out}, false);
    add(fmt::format("{} weight gradient", name), {.m = out, .n = in, .k = kTokens, .transpose_a = true}, false);
  }
  add("weight gradient, added", {.m = 4 * hidden, .n = hidden, .k = kTokens, .transpose_a = true, .accumulate = true},
      false);
  add("classifier forward", {.m = kTokens, .n = 2, .k = hidden, .transpose_b = true}, false);
  add("scores",
      {.m = kForwardQueries, .n = kSequence, .k = kHeadSize, .lda = 3 * hidden, .ldb = 3 * hidden, .transpose_b = true},
      true);
  add("attended", {.m = kForwardQueries, .n = kHeadSize, .k = kSequence, .ldb = 3 * hidden, .ldc = hidden}, true);
  add("scores again", {.m = kBackwardQueries, .n = kSequence, .k = kHeadSize, .transpose_b = true}, true);
  add("query gradient", {.m = kBackwardQueries, .n = kHeadSize, .k = kSequence, .ldc = 3 * hidden}, true);
  add("key gradient", {.m = kSequence, .n = kHeadSize, .k = kBackwardQueries, .transpose_a = true, .accumulate = true},
      true);
  return cases;
}

std::vector<ProductTime> time_product(const ProductCase& c, int threads, int rounds) {
  set_threads(threads);
  std::vector<std::unique_ptr<Contender>> contenders;
  std::vector<std::vector<double>> seconds;
  for (std::string_view backend : {"", "onednn", "openblas", "blis", "eigen"}) {
    kernels::ProductShape shape = c.shape;
    shape.backend = backend;
    auto contender = std::make_unique<Contender>(shape, c.alone, threads);
    if (!backend.empty() && contender->backend() != backend) continue;
    contender->run();  // touches memory
    contenders.push_back(std::move(contender));
    seconds.emplace_back();
  }
  for (int round = 0; round < rounds; ++round)
    for (std::size_t i = 0; i < contenders.size(); ++i)
      seconds[i].push_back(seconds_of_team(threads, [&] { contenders[i]->run(); }));
  std::vector<ProductTime> times;
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    times.push_back({.backend = std::string(contenders[i]->backend()),
                     .flops_per_second = contenders[i]->flops(c.shape) / *std::ranges::min_element(seconds[i])});
  }
  return times;
}

}  // namespace phasor::bench
