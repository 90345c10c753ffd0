// A function that no row of a table may leave out: a row without it does not compile. (A constant comparison with null
// would not do: under UndefinedBehaviorSanitizer GCC takes none for constant.)
#pragma once

#include <cstddef>

namespace phasor {

template <class Function>
class Required {
 public:
  constexpr Required(Function function) : function_(function) {}  // NOLINT: a row lists the function itself
  Required(std::nullptr_t) = delete;

  constexpr operator Function() const { return function_; }

 private:
  Function function_;
};

}  // namespace phasor
