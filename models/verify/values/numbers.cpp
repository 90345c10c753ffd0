#include "models/verify/values/numbers.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <limits>

namespace phasor::run {

namespace {

// The place of a number among all of its type, in their order.
template <class Bits, class Float>
std::uint64_t order_of(Float x) {
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  const Bits bits = std::bit_cast<Bits>(x);
  return (bits & kSign) != 0 ? static_cast<Bits>(~bits) : static_cast<Bits>(bits | kSign);
}

template <class Bits, class Float>
Numbers make_numbers(Float a, Float b) {
  const std::uint64_t x = order_of<Bits>(a), y = order_of<Bits>(b);
  const bool numbers = !std::isnan(a) && !std::isnan(b);
  return {.a = a,
          .b = b,
          .a_bits = std::bit_cast<Bits>(a),
          .b_bits = std::bit_cast<Bits>(b),
          .width = static_cast<int>(sizeof(Bits) * 8),
          .ulps = !numbers ? std::numeric_limits<std::uint64_t>::max()
                  : x < y  ? y - x
                           : x - y};
}

}  // namespace

Numbers numbers_of(float a, float b) { return make_numbers<std::uint32_t>(a, b); }
Numbers numbers_of(double a, double b) { return make_numbers<std::uint64_t>(a, b); }

std::string to_string(const Numbers& n) {
  const int digits = n.width == 64 ? 17 : 9;
  const std::string apart = n.ulps == std::numeric_limits<std::uint64_t>::max()
                                ? "not both numbers"
                                : fmt::format("{} {} apart", n.ulps, n.ulps == 1 ? "ulp" : "ulps");
  return fmt::format("{:.{}g} and {:.{}g} (bits {:0{}x} and {:0{}x}, {})", n.a, digits, n.b, digits, n.a_bits,
                     n.width / 4, n.b_bits, n.width / 4, apart);
}

void Distance::add(std::span<const float> a, std::span<const float> b) {
  for (const float x : a) {
    squares_ += static_cast<double>(x) * x;
    largest_magnitude_ = std::max(largest_magnitude_, std::abs(static_cast<double>(x)));
  }
  if (std::memcmp(a.data(), b.data(), a.size_bytes()) != 0) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (std::bit_cast<std::uint32_t>(a[i]) == std::bit_cast<std::uint32_t>(b[i])) continue;
      const std::int64_t element = elements_ + static_cast<std::int64_t>(i);
      if (different_++ == 0) {
        first_element_ = element;
        first_ = numbers_of(a[i], b[i]);
      }
      const double apart = std::abs(static_cast<double>(a[i]) - b[i]);
      const double magnitude = std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
      square_differences_ += magnitude * magnitude;
      if (magnitude <= largest_difference_ && largest_element_ >= 0) continue;
      largest_difference_ = magnitude;
      largest_element_ = element;
      largest_ = numbers_of(a[i], b[i]);
    }
  }
  elements_ += static_cast<std::int64_t>(a.size());
}

double Distance::norm() const { return std::sqrt(squares_); }
double Distance::difference() const { return std::sqrt(square_differences_); }
double Distance::relative() const {
  if (square_differences_ == 0) return 0;
  return squares_ > 0 ? difference() / norm() : std::numeric_limits<double>::infinity();
}

}  // namespace phasor::run
