// The parts of the extension module `_phasor`, a source file each. What users see is written in Python on top of it.
#pragma once

#include <nanobind/nanobind.h>

namespace phasor::python {

// Runs by configuration: planning, training, scoring, predicting, checkpoints.
void bind_runs(nanobind::module_& module);
// IPUConfig of optimum-graphcore.
void bind_ipu_config(nanobind::module_& module);
// Models of one's own: stages written with ops, and their training.
void bind_stages(nanobind::module_& module);
void bind_own_models(nanobind::module_& module);

}  // namespace phasor::python
