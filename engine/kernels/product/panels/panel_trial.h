// Whether a kernel is what it is taken for: a library has it by its name alone, and another version might change it.
#pragma once

#include "engine/kernels/product/panels/panel_kernel.h"

namespace phasor::kernels {

// Multiplies small matrices of whole numbers, in every order of storage, with tiles that are whole and others, and
// compares the results, which are exact.
bool multiplies(const PanelKernel& kernel);

}  // namespace phasor::kernels
