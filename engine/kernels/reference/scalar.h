// The few scalar functions that the reference kernels need of float, double and std::complex<double>.
//
// Complex-step differentiation runs through these kernels: f(x + ih) = f(x) + ih f'(x) to the last bit for a step h
// below about 1e-20, as every function here is analytic along its path. Hence comparisons look at real parts, and
// there is no abs and no conj.
#pragma once

#include <cmath>
#include <complex>
#include <numbers>

namespace phasor::reference {

inline float real_part(float x) { return x; }
inline double real_part(double x) { return x; }
inline double real_part(const std::complex<double>& x) { return x.real(); }

// The larger by real part.
template <class T>
T larger(const T& a, const T& b) {
  return real_part(a) < real_part(b) ? b : a;
}

inline float erf(float x) { return std::erf(x); }
inline double erf(double x) { return std::erf(x); }
// To first order around the real part: exact to rounding for imaginary parts below 1e-20.
inline std::complex<double> erf(const std::complex<double>& x) {
  const double slope = 2 * std::numbers::inv_sqrtpi * std::exp(-x.real() * x.real());
  return {std::erf(x.real()), slope * x.imag()};
}

}  // namespace phasor::reference
