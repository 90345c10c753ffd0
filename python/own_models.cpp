#include <memory>
#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <optional>

#include "engine/ir/records.h"
#include "models/layers/conv2d.h"
#include "models/layers/dropout.h"
#include "models/layers/linear.h"
#include "models/layers/norm.h"
#include "models/own/training.h"
#include "python/arrays.h"
#include "python/bindings.h"

namespace phasor::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Extents = std::vector<std::int64_t>;
using AnyArray = nb::ndarray<nb::ro, nb::c_contig, nb::device::cpu>;

Shape to_shape(const Extents& extents) {
  check(!extents.empty() && extents.size() <= 4, "shape: {} dimensions, expected 1 to 4", extents.size());
  for (const std::int64_t extent : extents) {
    check(extent > 0 && extent < (std::int64_t{1} << 31), "shape: an extent of {}, expected 1 to 2^31 - 1", extent);
  }
  return Shape(std::span<const std::int64_t>(extents));
}

DType to_dtype(const std::string& name) {
  if (name == "float32") return DType::f32;
  check(name == "int32", "dtype '{}' is neither float32 nor int32", name);
  return DType::i32;
}

Initialiser to_initialiser(const std::string& kind, float scale) {
  if (kind == "zeros") return {.kind = Initialiser::Kind::zeros};
  if (kind == "ones") return {.kind = Initialiser::Kind::ones};
  if (kind == "normal") return {.kind = Initialiser::Kind::normal, .deviation = scale};
  if (kind == "truncated_normal") return {.kind = Initialiser::Kind::truncated_normal, .deviation = scale};
  check(kind == "uniform", "init '{}' is unknown; expected zeros, ones, normal, truncated_normal or uniform", kind);
  return {.kind = Initialiser::Kind::uniform, .limit = scale};
}

// A value of a stage, which knows whose it is: values of two stages do not mix.
struct Tensor {
  Value value;
  int stage = 0;
};

// Writes one stage. What is not an op of ours is no method, and Python says so.
class StageWriter {
 public:
  StageWriter(int number, const std::string& name, int instances, std::optional<TensorSpec> x)
      : stage_(std::make_unique<Stage>(
            Stage{.name = name, .instances = instances, .prefix = instances > 1 ? name + ".{}." : name + "."})),
        builder_(std::make_unique<StageBuilder>(*stage_)),
        number_(number),
        x_(x) {}

  Tensor wrap(Value value) const { return {value, number_}; }
  Value of(const Tensor& tensor) const {
    check(tensor.stage == number_,
          "stage '{}': a tensor of another stage was given; output() and input() lead from one "
          "to the next",
          stage_->name);
    return tensor.value;
  }
  Tensor input() {
    check(x_.has_value(), "stage '{}' is the first: it has no input, only batch()", stage_->name);
    if (!stage_->x.valid()) builder_->activation_in(*x_);
    return wrap(stage_->x);
  }
  StageBuilder& b() { return *builder_; }
  const Stage& stage() const { return *stage_; }

 private:
  std::unique_ptr<Stage> stage_;
  std::unique_ptr<StageBuilder> builder_;
  int number_;
  std::optional<TensorSpec> x_;
};

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
    stages_.push_back(std::make_shared<StageWriter>(static_cast<int>(stages_.size()), name, instances, x));
    return stages_.back();
  }

  // Those written so far.
  Stages finish() const {
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
  const std::int64_t parts = samples / own::micro_batch_size(stages);
  nb::dict dict;
  for (const Stage& stage : stages) {
    for (const auto& [name, value] : stage.results) {
      const Shape& one = stage.graph.spec(value).shape;
      Extents extents(one.extents().begin(), one.extents().end());
      if (extents.empty()) extents = {1};
      extents[0] *= parts;
      dict[name.c_str()] = to_array(std::move(results.at(name)), Shape(std::span<const std::int64_t>(extents)));
    }
  }
  return dict;
}

void bind_stage(nb::module_& m) {
  nb::class_<Tensor>(m, "Tensor");
  using S = StageWriter;
  nb::class_<S>(m, "Stage")
      .def(
          "batch",
          [](S& s, const std::string& name, const Extents& shape, const std::string& dtype) {
            return s.wrap(s.b().batch(name, {to_dtype(dtype), to_shape(shape)}));
          },
          "name"_a, "shape"_a, "dtype"_a = "float32")
      .def(
          "variable",
          [](S& s, const std::string& name, const Extents& shape, const std::string& init, float scale, bool decays) {
            return s.wrap(s.b().variable(name, to_shape(shape), to_initialiser(init, scale), decays));
          },
          "name"_a, "shape"_a, "init"_a = "normal", "scale"_a = 0.02f, "decays"_a = true)
      .def("input", &S::input)
      .def(
          "output", [](S& s, const Tensor& y) { s.b().activation_out(s.of(y)); }, "y"_a)
      .def(
          "loss", [](S& s, const Tensor& y) { s.b().loss(s.of(y)); }, "loss"_a)
      .def(
          "result", [](S& s, const std::string& name, const Tensor& y) { s.b().result(name, s.of(y)); }, "name"_a,
          "y"_a)
      .def(
          "shape",
          [](S& s, const Tensor& x) {
            const Shape shape = s.b().shape(s.of(x));
            return Extents(shape.extents().begin(), shape.extents().end());
          },
          "x"_a)
      .def(
          "linear",
          [](S& s, const std::string& name, const Tensor& x, std::int64_t outputs, float deviation) {
            return s.wrap(deviation > 0 ? layers::linear(s.b(), name, s.of(x), outputs, deviation)
                                        : layers::uniform_linear(s.b(), name, s.of(x), outputs));
          },
          "name"_a, "x"_a, "outputs"_a, "deviation"_a = 0.0f)
      .def(
          "conv2d",
          [](S& s, const std::string& name, const Tensor& x, std::int64_t channels, std::int64_t kernel_size) {
            return s.wrap(layers::conv2d(s.b(), name, s.of(x), channels, kernel_size));
          },
          "name"_a, "x"_a, "channels"_a, "kernel_size"_a)
      .def(
          "layer_norm",
          [](S& s, const std::string& name, const Tensor& x, float eps) {
            return s.wrap(layers::layer_norm(s.b(), name, s.of(x), eps));
          },
          "name"_a, "x"_a, "eps"_a = 1e-5f)
      .def(
          "embedding",
          [](S& s, const std::string& name, const Tensor& ids, std::int64_t entries, std::int64_t width, float scale) {
            const Value table = s.b().variable(name + ".weight", to_shape({entries, width}),
                                               {.kind = Initialiser::Kind::normal, .deviation = scale}, true);
            return s.wrap(s.b().embedding(table, s.of(ids), {.entries = entries}));
          },
          "name"_a, "ids"_a, "entries"_a, "width"_a, "scale"_a = 0.02f)
      .def(
          "attention",
          [](S& s, const Tensor& qkv, std::int64_t heads, bool causal, float dropout) {
            const std::int64_t rows = s.b().shape(s.of(qkv))[0];
            const Value segments = s.b().batch("segments", segments_spec(rows, 1));
            return s.wrap(
                s.b()
                    .attention(s.of(qkv), segments, s.b().position(),
                               {.heads = heads, .causal = causal, .probability = dropout, .site = s.b().new_site()})
                    .out);
          },
          "qkv"_a, "heads"_a, "causal"_a = false, "dropout"_a = 0.0f)
      .def(
          "matmul",
          [](S& s, const Tensor& a, const Tensor& b, bool transpose_b) {
            return s.wrap(s.b().matmul(s.of(a), s.of(b), {.transpose_b = transpose_b}));
          },
          "a"_a, "b"_a, "transpose_b"_a = false)
      .def(
          "add", [](S& s, const Tensor& a, const Tensor& b) { return s.wrap(s.b().add(s.of(a), s.of(b))); }, "a"_a,
          "b"_a)
      .def(
          "relu", [](S& s, const Tensor& x) { return s.wrap(s.b().relu(s.of(x))); }, "x"_a)
      .def(
          "gelu",
          [](S& s, const Tensor& x, bool tanh) {
            return s.wrap(s.b().gelu(s.of(x), {.kind = tanh ? GeluKind::tanh : GeluKind::erf}));
          },
          "x"_a, "tanh"_a = false)
      .def(
          "dropout",
          [](S& s, const Tensor& x, float probability) { return s.wrap(layers::dropout(s.b(), s.of(x), probability)); },
          "x"_a, "probability"_a)
      .def(
          "max_pool2d",
          [](S& s, const Tensor& x, std::int64_t window, std::int64_t stride) {
            return s.wrap(s.b().max_pool2d(s.of(x), {.window = window, .stride = stride}).y);
          },
          "x"_a, "window"_a = 2, "stride"_a = 2)
      .def(
          "reshape",
          [](S& s, const Tensor& x, const Extents& shape) {
            const Shape to = to_shape(shape);
            check(to.elements() == s.b().shape(s.of(x)).elements(), "reshape: {} has not the elements of {}",
                  to_string(to), to_string(s.b().shape(s.of(x))));
            return s.wrap(s.b().reshape(s.of(x), to));
          },
          "x"_a, "shape"_a)
      .def(
          "cross_entropy",
          [](S& s, const Tensor& logits, const Tensor& labels) {
            const Shape of_labels = s.b().shape(s.of(labels));
            const Value weights = s.b().batch("label_weights", {DType::f32, of_labels});
            return s.wrap(s.b().cross_entropy(s.of(logits), s.of(labels), weights));
          },
          "logits"_a, "labels"_a);
}

}  // namespace

void bind_own_models(nb::module_& m) {
  bind_stage(m);
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
