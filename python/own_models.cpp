#include <memory>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <set>

#include "models/own/training.h"
#include "python/arrays.h"
#include "python/bindings.h"
#include "python/stage_writer.h"

namespace phasor::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Extents = std::vector<std::int64_t>;
using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

// Stages in the order in which they were begun.
class Model {
 public:
  std::shared_ptr<StageWriter> stage(const std::string& name, int instances) {
    check(instances >= 1 && instances <= 100'000, "stage '{}': {} instances, expected 1 to 100000", name, instances);
    std::optional<TensorSpec> x;
    if (!stages_.empty()) {
      const Stage& before = stages_.back()->stage();
      check(before.y.valid(), "stage '{}' comes behind '{}', which has no output() yet", name, before.name);
      x = before.graph.spec(before.y);
    }
    for (const auto& other : stages_) check(other->stage().name != name, "stage '{}' is there twice", name);
    stages_.push_back(std::make_shared<StageWriter>(name, instances, x));
    return stages_.back();
  }

  // Those written so far.
  Stages finish() const {
    std::set<std::string> names;  // that tensors have in checkpoints
    check(!stages_.empty(), "model: it has no stages");
    Stages stages;
    for (const auto& writer : stages_) {
      const Stage& stage = writer->stage();
      check(stages.empty() || stage.x.valid(), "stage '{}' does not read the input() that '{}' hands on", stage.name,
            stages.empty() ? "" : stages.back().name);
      check(stage.instances == 1 ||
                (stage.x.valid() && stage.y.valid() && stage.graph.spec(stage.x) == stage.graph.spec(stage.y)),
            "stage '{}' has {} instances: its output() must be of the shape of its input()", stage.name,
            stage.instances);
      for (const Variable& variable : stage.variables) {
        const std::string name = fmt::format("{}.{}", stage.name, variable.name);
        check(names.insert(name).second, "stage '{}': variable '{}' is there twice", stage.name, variable.name);
      }
      stages.push_back(stage);
    }
    return stages;
  }
  Stages finish_training() const {
    Stages stages = finish();
    check(stages.back().loss.valid(), "model: the last stage, '{}', has no loss()", stages.back().name);
    return stages;
  }

 private:
  std::vector<std::shared_ptr<StageWriter>> stages_;
};

DType dtype_of_array(const std::string& name, const AnyArray& array) {
  if (array.dtype() == nb::dtype<float>()) return DType::f32;
  check(array.dtype() == nb::dtype<std::int32_t>(), "batch: '{}' is neither float32 nor int32", name);
  return DType::i32;
}

own::Batch to_batch(const std::map<std::string, AnyArray>& arrays) {
  own::Batch batch;
  for (const auto& [name, array] : arrays) {
    check(array.ndim() >= 1 && array.ndim() <= 4, "batch: '{}' has {} dimensions, expected 1 to 4", name, array.ndim());
    Extents extents;
    for (std::size_t d = 0; d < array.ndim(); ++d) extents.push_back(static_cast<std::int64_t>(array.shape(d)));
    batch[name] = {{dtype_of_array(name, array), Shape(std::span<const std::int64_t>(extents))},
                   const_cast<void*>(array.data())};
  }
  return batch;
}

nb::dict state_dict(own::Training& training) {
  nb::dict state;
  for (const CanonicalTensor& tensor : training.tensors()) {
    state[tensor.name.c_str()] = to_array(training.read(tensor), tensor.shape);
  }
  return state;
}

void load_state_dict(own::Training& training, const std::map<std::string, AnyArray>& arrays) {
  const own::Batch given = to_batch(arrays);
  const std::vector<CanonicalTensor> tensors = training.tensors();
  for (const CanonicalTensor& tensor : tensors) {
    const auto found = given.find(tensor.name);
    check(found != given.end(), "state: '{}' is missing", tensor.name);
    const TensorSpec expected{DType::f32, tensor.shape};
    check(found->second.spec == expected, "state: '{}' is {}, the model's is {}", tensor.name,
          to_string(found->second.spec), to_string(expected));
  }
  check(given.size() == tensors.size(), "state: it has {} tensors, the model {}", given.size(), tensors.size());
  for (const CanonicalTensor& tensor : tensors) training.write(tensor, given.at(tensor.name).as<const float>());
}

nb::dict predict(own::Training& training, const Model& model, const std::map<std::string, AnyArray>& arrays) {
  const Stages stages = model.finish();
  const own::Batch batch = to_batch(arrays);
  std::map<std::string, std::vector<float>> results;
  std::int64_t samples = 0;
  {
    const nb::gil_scoped_release free;
    samples = own::check_batch(batch, own::batch_specs(stages), own::index_limits(stages));
    results = training.predict(stages, batch);
  }
  const std::int64_t size = own::micro_batch_size(stages);
  nb::dict dict;
  for (const Stage& stage : stages) {
    for (const auto& [name, value] : stage.results) {
      const Shape& one = stage.graph.spec(value).shape;
      Extents extents(one.extents().begin(), one.extents().end());
      if (extents.empty()) extents = {1};
      // Where the last micro-batch is not full, every result has a part for each sample.
      extents[0] = samples % size == 0 ? extents[0] * (samples / size) : extents[0] / size * samples;
      dict[name.c_str()] = to_array(std::move(results.at(name)), Shape(std::span<const std::int64_t>(extents)));
    }
  }
  return dict;
}

}  // namespace

void bind_own_models(nb::module_& m) {
  nb::class_<Model>(m, "Model").def(nb::init<>()).def("stage", &Model::stage, "name"_a, "instances"_a = 1);
  nb::class_<own::Training>(m, "Training")
      .def("__init__",
           [](own::Training* self, const Model& model, const own::Settings& settings) {
             const Stages stages = model.finish_training();
             const nb::gil_scoped_release free;
             new (self) own::Training(stages, settings);
           })
      .def("step",
           [](own::Training& self, const std::map<std::string, AnyArray>& arrays) {
             const own::Batch batch = to_batch(arrays);
             const nb::gil_scoped_release free;
             return self.step(batch);
           })
      .def("predict", &predict)
      .def("state_dict", &state_dict)
      .def("load_state_dict", &load_state_dict)
      .def("save", &own::Training::save, nb::call_guard<nb::gil_scoped_release>())
      .def("load", &own::Training::load, nb::call_guard<nb::gil_scoped_release>())
      .def_prop_ro("steps", &own::Training::steps)
      .def_prop_ro("learning_rate", &own::Training::learning_rate)
      .def_prop_ro("micro_batch_size", &own::Training::micro_batch_size)
      .def_prop_ro("planned_peak_bytes", [](const own::Training& self) { return self.plan().peak_bytes; })
      .def_prop_ro("measured_peak_bytes", &own::Training::measured_peak_bytes);
}

}  // namespace phasor::python
