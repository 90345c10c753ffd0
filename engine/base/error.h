// The two kinds of failure: what a user can cause (check, exit code 2) and what only we can (ensure, exit code 70).
#pragma once

#include <fmt/format.h>
#include <stdexcept>

namespace phasor {

// Bad input, bad configuration, a file that cannot be read. The message is one line: subject, fact, expectation, hint.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A broken invariant of our own.
class InternalError : public std::logic_error {
 public:
  using std::logic_error::logic_error;
};

// Throws UserError unless `condition`. The arguments are formatted only on failure.
template <class... Args>
void check(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) [[unlikely]]
    throw UserError(fmt::format(message, std::forward<Args>(args)...));
}

// Throws InternalError unless `condition`.
template <class... Args>
void ensure(bool condition, fmt::format_string<Args...> message, Args&&... args) {
  if (!condition) [[unlikely]]
    throw InternalError(fmt::format(message, std::forward<Args>(args)...));
}

}  // namespace phasor
