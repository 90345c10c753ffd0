#include <nanobind/nanobind.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "models/ipu_config/run_settings.h"
#include "python/bindings.h"

namespace phasor::python {

namespace nb = nanobind;

namespace {

using ipu::IpuConfig, ipu::Use;

// Values travel as JSON: the class in Python makes objects of them.
std::string get(const IpuConfig& config, const std::string& name) { return config.get(name).dump(); }

void set(IpuConfig& config, const std::string& name, const std::string& json) {
  const ipu::Json value = ipu::Json::parse(json, nullptr, false);
  check(!value.is_discarded(), "ipu_config: {} is no JSON", name);
  config.set(name, value);
}

std::pair<std::map<std::string, std::string>, std::vector<std::string>> settings(const IpuConfig& config,
                                                                                 std::int64_t micro_batch_size,
                                                                                 bool inference) {
  const ipu::RunSettings asked =
      ipu::to_settings(config, {.micro_batch_size = micro_batch_size}, inference ? Use::inference : Use::training);
  return {asked.keys, asked.notes};
}

}  // namespace

void bind_ipu_config(nb::module_& m) {
  nb::handle user_error = m.attr("UserError");
  nb::exception<ipu::TypeMistake>(m, "IPUConfigTypeError", PyExc_TypeError);
  nb::exception<ipu::Incompatible>(m, "IncompatibleIPUConfigError", user_error);
  nb::class_<IpuConfig>(m, "IPUConfig")
      .def(nb::init<>())
      .def_static("read", &IpuConfig::read)
      .def_static("parse", &IpuConfig::parse)
      .def("to_json", &IpuConfig::to_json)
      .def("save", &IpuConfig::save)
      .def("get", &get)
      .def("set", &set)
      .def("check", &IpuConfig::check)
      .def("update_from_string", &IpuConfig::update_from_string)
      .def("layer_ipus",
           [](const IpuConfig& c, int layers, bool inference) {
             return c.layer_ipus(layers, inference ? Use::inference : Use::training);
           })
      .def("ipus_per_replica",
           [](const IpuConfig& c, bool inference) {
             return c.ipus_per_replica(inference ? Use::inference : Use::training);
           })
      .def("batch_size_factor",
           [](const IpuConfig& c, bool inference) {
             return c.batch_size_factor(inference ? Use::inference : Use::training);
           })
      .def("settings", [](const IpuConfig& c, std::int64_t micro_batch_size, bool inference) {
        return settings(c, micro_batch_size, inference);
      });
  m.def("ipu_fields", [] {
    std::vector<std::string> names;
    for (const ipu::Field& field : ipu::fields()) names.emplace_back(field.name);
    return names;
  });
}

}  // namespace phasor::python
