// Where real data lies that tests may use and the project does not hold.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace phasor::test {

// The path of `name` in $PHASOR_DATA, else in ../shared/data beside the sources.
inline std::string shared_data(const std::string& name) {
  const char* folder = std::getenv("PHASOR_DATA");
  return (folder ? std::string(folder) : std::string(PHASOR_SOURCE_DIR) + "/../shared/data") + "/" + name;
}

}  // namespace phasor::test

// Leaves the test, saying so, where one of the shared files is absent.
#define PHASOR_NEEDS_DATA(name)                                    \
  if (!std::filesystem::exists(::phasor::test::shared_data(name))) \
  GTEST_SKIP() << "needs " << ::phasor::test::shared_data(name) << ", which is absent; set PHASOR_DATA"
