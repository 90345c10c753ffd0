#include "engine/base/error.h"
#include "python/bindings.h"

namespace nb = nanobind;

NB_MODULE(_phasor, m) {
  m.attr("__version__") = PHASOR_VERSION;
  // The message is that of the command line.
  nb::exception<phasor::UserError>(m, "UserError", PyExc_ValueError);
  nb::exception<phasor::InternalError>(m, "InternalError", PyExc_RuntimeError);
  phasor::python::bind_runs(m);
  phasor::python::bind_ipu_config(m);
  phasor::python::bind_own_models(m);
}
