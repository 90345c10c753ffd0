#include "bench/kernels/map_case.h"
#include "engine/kernels/norm.h"
#include "engine/kernels/reference/norm.h"

namespace phasor::bench {

namespace {

constexpr float kNormEps = 1e-12f;
constexpr std::int64_t kNormSize = kTokens * kHidden;

template <class T>
KernelCase layer_norm_case() {
  const Elements<T> x = uniform<T>(1, kNormSize), y(kNormSize);
  const Floats gamma = uniform(2, kHidden), beta = uniform(3, kHidden);
  const Floats mean(kTokens), rstd(kTokens);
  return {
      .limit = Limit::memory,
      .type = dtype_of<T>,
      .work = bytes_of<T>(2 * kNormSize),
      .run = [=] { kernels::layer_norm<T>(kNormEps, x.in(), gamma.in(), beta.in(), y.out(), mean.out(), rstd.out()); },
      .compare =
          [=] {
            Doubles out(kNormSize), mean_out(kTokens), rstd_out(kTokens);
            reference::layer_norm<double>(kNormEps, widen(x), widen(gamma), widen(beta), out, mean_out, rstd_out);
            return std::vector{Comparison{widen(y), out}, Comparison{widen(mean), mean_out},
                               Comparison{widen(rstd), rstd_out}};
          }};
}

template <class T>
KernelCase layer_norm_gradient_case() {
  const Elements<T> x = uniform<T>(1, kNormSize), dy = uniform<T>(3, kNormSize), dx(kNormSize);
  const Floats gamma = uniform(2, kHidden);
  const Floats mean(kTokens), rstd = uniform(4, kTokens, 0.9f);  // any do: the gradient takes them as given
  const Floats dgamma(kHidden), dbeta(kHidden), scratch(kernels::layer_norm_gradient_scratch(kTokens, kHidden));
  return {.limit = Limit::memory,
          .type = dtype_of<T>,
          .work = bytes_of<T>(3 * kNormSize),
          .run =
              [=] {
                kernels::layer_norm_gradient<T>({.x = x.in(),
                                                 .gamma = gamma.in(),
                                                 .mean = mean.in(),
                                                 .rstd = rstd.in(),
                                                 .dy = dy.in(),
                                                 .dx = dx.out(),
                                                 .dgamma = dgamma.out(),
                                                 .dbeta = dbeta.out(),
                                                 .scratch = scratch.out()});
              },
          .compare =
              [=] {
                Doubles out(kNormSize), dgamma_out(kHidden), dbeta_out(kHidden);
                reference::layer_norm_gradient<double>(widen(x), widen(gamma), widen(mean), widen(rstd), widen(dy), out,
                                                       dgamma_out, dbeta_out);
                return std::vector{Comparison{widen(dx), out}, Comparison{widen(dgamma), dgamma_out},
                                   Comparison{widen(dbeta), dbeta_out}};
              }};
}

}  // namespace

KernelEntries norm_cases() {
  return in_both_types([]<class T> {
    return KernelEntries{{case_name<T>("layer_norm"), [](int) { return layer_norm_case<T>(); }},
                         {case_name<T>("layer_norm_gradient"), [](int) { return layer_norm_gradient_case<T>(); }}};
  });
}

}  // namespace phasor::bench
