// What is told of a key of a configuration beside its value. A struct of options lists its keys in one function,
// visit_fields, which calls visit(key, field, facts) for each in the order in which they are shown: reading, writing,
// help and limits all follow that list.
#pragma once

#include <concepts>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

namespace phasor::fields {

inline constexpr double kAny = std::numeric_limits<double>::infinity();
inline constexpr double kMostFloat = std::numeric_limits<float>::max();

// Extents of tensors, and counts of things that have one.
inline constexpr double kMostSize = 1 << 24;
inline constexpr std::string_view kSize = "sizes are positive, and their products countable";

struct Range {
  double least = -kAny, most = kAny;
  std::string_view reason = "";  // of a bound that is not obvious
};

struct Facts {
  const char* help = "";
  std::optional<Range> range = {};  // numbers have one
  bool is_path = false;             // of a file or folder, which relative to the working directory may be
  bool hidden_from_shapes = false;  // of a model: computes something else with tensors of the same shapes
};

// A list of keys that serves a Config that may be const.
template <class Any, class Config>
concept MaybeConst = std::same_as<std::remove_const_t<Any>, Config>;

}  // namespace phasor::fields
