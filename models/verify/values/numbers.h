// Two numbers that ought to be one.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace phasor::run {

struct Numbers {
  double a = 0, b = 0;
  std::uint64_t a_bits = 0, b_bits = 0;
  int width = 32;          // of their type, in bits
  std::uint64_t ulps = 0;  // numbers of the type that lie between the two, and one; where one is no number, the most
};

// What +0 and -0 are: one apart.
Numbers numbers_of(float a, float b);
Numbers numbers_of(double a, double b);

// "0.0123 and 0.0124 (bits 3c49ba5e and 3c4b295f, 92417 ulps apart)"
std::string to_string(const Numbers& numbers);

// How far two tensors of one shape lie apart, piece by piece. Numbers are equal if their bits are.
class Distance {
 public:
  // The next elements of both.
  void add(std::span<const float> a, std::span<const float> b);

  std::int64_t elements() const { return elements_; }
  std::int64_t different() const { return different_; }  // of them
  bool equal() const { return different_ == 0; }
  std::int64_t first_element() const { return first_element_; }  // that differs; -1: none
  const Numbers& first() const { return first_; }
  std::int64_t largest_element() const { return largest_element_; }  // whose numbers lie the farthest apart
  const Numbers& largest() const { return largest_; }
  double largest_difference() const { return largest_difference_; }  // |a - b|; infinite where one is no number

  double largest_magnitude() const { return largest_magnitude_; }  // of a

  double norm() const;        // of a: the root of the sum of squares
  double difference() const;  // that of a - b
  double relative() const;    // difference() / norm(); infinite where a is 0 and b is not

 private:
  std::int64_t elements_ = 0, different_ = 0, first_element_ = -1, largest_element_ = -1;
  Numbers first_, largest_;
  double largest_difference_ = 0, largest_magnitude_ = 0, squares_ = 0, square_differences_ = 0;
};

}  // namespace phasor::run
