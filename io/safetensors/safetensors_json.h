// For the sources of the safetensors reader only: the form of a header.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/safetensors/safetensors.h"

namespace phasor::io {

// The tensors in the order of the header, with what it says of them. A header that is not JSON or has another form is a
// UserError that names `path`; whether types, shapes and offsets make sense is left to see.
std::vector<StoredTensor> read_safetensors_json(const std::string& path, std::string_view header);

}  // namespace phasor::io
