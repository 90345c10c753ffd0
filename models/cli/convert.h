// A checkpoint to a Transformers folder, or the other way: the work of the verb, for any front.
#pragma once

#include <map>
#include <string>

#include "io/listener/listener.h"

namespace phasor::cli {

struct Conversion {
  std::string source, target;
  std::string precision;  // empty: float32
  std::map<std::string, std::string> overrides;
  std::string given_in = "the command line";  // the overrides, as messages name it
  bool force = false;
};

// The source says which way to go. Throws UserError where there is nothing to convert, or something in the way.
void convert(const Conversion& conversion, io::Listener& listener);

}  // namespace phasor::cli
