// Derivatives to the last bit, without cancellation: f'(x) = imag f(x + ih) / h for an h far below rounding.
// Squire and Trapp, "Using complex variables to estimate derivatives of real functions", 1998.
#pragma once

#include <complex>
#include <vector>

namespace phasor::test {

using Complex = std::complex<double>;

// The derivative of sum(weights * f(x)) by each element of x. f maps a vector<Complex> to a vector<Complex>.
template <class Function>
std::vector<double> complex_step_gradient(Function f, const std::vector<double>& x,
                                          const std::vector<double>& weights) {
  constexpr double kStep = 1e-30;
  std::vector<Complex> moved(x.begin(), x.end());
  std::vector<double> gradient(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    moved[i] = {x[i], kStep};
    const std::vector<Complex> y = f(moved);
    for (std::size_t j = 0; j < y.size(); ++j) gradient[i] += weights[j] * y[j].imag() / kStep;
    moved[i] = x[i];
  }
  return gradient;
}

}  // namespace phasor::test
