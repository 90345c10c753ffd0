// What stands behind every second linear layer: dropout, residual connection and layer norm in one pass.
#include "bench/kernels/map_case.h"
#include "engine/kernels/dropout_add_norm.h"
#include "engine/kernels/reference/dropout.h"
#include "engine/kernels/reference/elementwise.h"
#include "engine/kernels/reference/norm.h"

namespace phasor::bench {

namespace {

constexpr float kEps = 1e-12f, kProbability = 0.1f;
constexpr std::int64_t kSite = 1, kSize = kTokens * kHidden;

template <class T>
KernelCase forward_case() {
  const Elements<T> x = uniform<T>(1, kSize), residual = uniform<T>(2, kSize), sum(kSize), y(kSize);
  const Floats gamma = uniform(3, kHidden), beta = uniform(4, kHidden), mean(kTokens), rstd(kTokens);
  return {.limit = Limit::memory,
          .type = dtype_of<T>,
          .work = bytes_of<T>(4 * kSize),
          .run =
              [=] {
                kernels::dropout_add_norm<T>({.position = kPosition,
                                              .site = kSite,
                                              .probability = kProbability,
                                              .samples = kBatch,
                                              .eps = kEps,
                                              .x = x.in(),
                                              .residual = residual.in(),
                                              .gamma = gamma.in(),
                                              .beta = beta.in(),
                                              .sum = sum.out(),
                                              .y = y.out(),
                                              .mean = mean.out(),
                                              .rstd = rstd.out()});
              },
          .compare =
              [=] {
                Doubles kept(kSize), added(kSize), out(kSize), mean_out(kTokens), rstd_out(kTokens);
                reference::dropout<double>(kPosition, kSite, kProbability, kBatch, widen(x), kept);
                reference::add<double>(kept, widen(residual), added);
                reference::layer_norm<double>(kEps, added, widen(gamma), widen(beta), out, mean_out, rstd_out);
                return std::vector{Comparison{widen(sum), added}, Comparison{widen(y), out},
                                   Comparison{widen(rstd), rstd_out}};
              }};
}

template <class T>
KernelCase gradient_case() {
  const Elements<T> sum = uniform<T>(1, kSize), dy = uniform<T>(2, kSize), dx(kSize), dresidual(kSize);
  const Floats gamma = uniform(3, kHidden), mean(kTokens), rstd = uniform(4, kTokens, 0.9f), dgamma(kHidden);
  const Floats dbeta(kHidden), scratch(kernels::dropout_add_norm_gradient_scratch(kTokens, kHidden));
  return {.limit = Limit::memory,
          .type = dtype_of<T>,
          .work = bytes_of<T>(4 * kSize),
          .run =
              [=] {
                kernels::dropout_add_norm_gradient<T>({.position = kPosition,
                                                       .site = kSite,
                                                       .probability = kProbability,
                                                       .samples = kBatch,
                                                       .sum = sum.in(),
                                                       .gamma = gamma.in(),
                                                       .mean = mean.in(),
                                                       .rstd = rstd.in(),
                                                       .dy = dy.in(),
                                                       .dx = dx.out(),
                                                       .dresidual = dresidual.out(),
                                                       .dgamma = dgamma.out(),
                                                       .dbeta = dbeta.out(),
                                                       .scratch = scratch.out()});
              },
          .compare =
              [=] {
                Doubles residual(kSize), out(kSize), gamma_out(kHidden), beta_out(kHidden);
                reference::layer_norm_gradient<double>(widen(sum), widen(gamma), widen(mean), widen(rstd), widen(dy),
                                                       residual, gamma_out, beta_out);
                reference::dropout<double>(kPosition, kSite, kProbability, kBatch, residual, out);
                return std::vector{Comparison{widen(dresidual), residual}, Comparison{widen(dx), out},
                                   Comparison{widen(dgamma), gamma_out}, Comparison{widen(dbeta), beta_out}};
              }};
}

}  // namespace

KernelEntries dropout_add_norm_cases() {
  return in_both_types([]<class T> {
    return KernelEntries{{case_name<T>("dropout_add_norm"), [](int) { return forward_case<T>(); }},
                         {case_name<T>("dropout_add_norm_gradient"), [](int) { return gradient_case<T>(); }}};
  });
}

}  // namespace phasor::bench
