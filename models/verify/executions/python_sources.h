// The scripts that train a Transformers model. They travel inside the program, which runs from any folder.
#pragma once

#include <string>
#include <vector>

namespace phasor::run {

struct PythonSource {
  std::string name, text;  // of a file
};

// The first is what is run; the others stand beside it.
const std::vector<PythonSource>& python_sources();

}  // namespace phasor::run
