// The message of the error that an action ends with.
#pragma once

#include <string>

#include "engine/base/error.h"

namespace phasor::test {

template <class Error = UserError, class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace phasor::test
