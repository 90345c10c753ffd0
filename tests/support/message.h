// The message of the UserError that an action ends with.
#pragma once

#include <string>

#include "engine/base/error.h"

namespace phasor::test {

template <class Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const UserError& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace phasor::test
