#include <filesystem>
#include <system_error>

#include "engine/base/error.h"
#include "models/cli/mistake.h"
#include "python/bindings.h"

namespace nb = nanobind;

namespace {

// What the system refuses is told as on the command line. Memory that it has not is a MemoryError of Python.
void translate_refusals(const std::exception_ptr& thrown, void* user_error) {
  const auto raise = [&](const std::string& message) {
    PyErr_SetString(static_cast<PyObject*>(user_error), message.c_str());
  };
  try {
    std::rethrow_exception(thrown);
  } catch (const std::filesystem::filesystem_error& error) {
    raise(phasor::cli::refusal_message(error));
  } catch (const std::system_error& error) {
    raise(phasor::cli::refusal_message(error));
  } catch (const std::length_error&) {  // a list that no memory could hold
    PyErr_SetString(PyExc_MemoryError, "memory: no machine has as much as this asks for");
  }
}

}  // namespace

NB_MODULE(_phasor, m) {
  m.attr("__version__") = PHASOR_VERSION;
  // The message is that of the command line.
  const nb::exception<phasor::UserError> user_error(m, "UserError", PyExc_ValueError);
  nb::exception<phasor::InternalError>(m, "InternalError", PyExc_RuntimeError);
  nb::register_exception_translator(&translate_refusals, user_error.ptr());
  phasor::python::bind_runs(m);
  phasor::python::bind_ipu_config(m);
  phasor::python::bind_stages(m);
  phasor::python::bind_own_models(m);
}
