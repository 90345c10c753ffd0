#include "bench/kernels/table.h"
#include "engine/kernels/norm.h"
#include "engine/kernels/reference/norm.h"

namespace phasor::bench {

namespace {

constexpr float kEps = 1e-12f;
constexpr std::int64_t kSize = kTokens * kHidden;

KernelCase layer_norm_case() {
  const Floats x = uniform(1, kSize), gamma = uniform(2, kHidden), beta = uniform(3, kHidden);
  const Floats y(kSize), mean(kTokens), rstd(kTokens);
  return {.limit = Limit::memory,
          .work = bytes_of(2 * kSize),
          .run = [=] { kernels::layer_norm(kEps, x.in(), gamma.in(), beta.in(), y.out(), mean.out(), rstd.out()); },
          .compare =
              [=] {
                Doubles out(kSize), mean_out(kTokens), rstd_out(kTokens);
                reference::layer_norm<double>(kEps, widen(x), widen(gamma), widen(beta), out, mean_out, rstd_out);
                return std::vector{Comparison{widen(y), out}, Comparison{widen(mean), mean_out},
                                   Comparison{widen(rstd), rstd_out}};
              }};
}

KernelCase layer_norm_gradient_case() {
  const Floats x = uniform(1, kSize), gamma = uniform(2, kHidden), dy = uniform(3, kSize);
  const Floats mean(kTokens), rstd = uniform(4, kTokens, 0.9f);  // any do: the gradient takes them as given
  const Floats dx(kSize), dgamma(kHidden), dbeta(kHidden),
      scratch(kernels::layer_norm_gradient_scratch(kTokens, kHidden));
  return {.limit = Limit::memory,
          .work = bytes_of(3 * kSize),
          .run =
              [=] {
                kernels::layer_norm_gradient(x.in(), gamma.in(), mean.in(), rstd.in(), dy.in(), dx.out(), dgamma.out(),
                                             dbeta.out(), scratch.out());
              },
          .compare =
              [=] {
                Doubles out(kSize), dgamma_out(kHidden), dbeta_out(kHidden);
                reference::layer_norm_gradient<double>(widen(x), widen(gamma), widen(mean), widen(rstd), widen(dy), out,
                                                       dgamma_out, dbeta_out);
                return std::vector{Comparison{widen(dx), out}, Comparison{widen(dgamma), dgamma_out},
                                   Comparison{widen(dbeta), dbeta_out}};
              }};
}

}  // namespace

KernelEntries norm_cases() {
  return {{"layer_norm", [](int) { return layer_norm_case(); }},
          {"layer_norm_gradient", [](int) { return layer_norm_gradient_case(); }}};
}

}  // namespace phasor::bench
