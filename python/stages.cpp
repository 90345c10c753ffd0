// The ops of a stage of one's own: what is not among them is no method, and Python says so.
#include <cmath>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "engine/ir/records.h"
#include "models/layers/conv2d.h"
#include "models/layers/dropout.h"
#include "models/layers/linear.h"
#include "models/layers/norm.h"
#include "python/bindings.h"
#include "python/stage_writer.h"

namespace phasor::python {

namespace nb = nanobind;
using namespace nb::literals;

namespace {

using Extents = std::vector<std::int64_t>;

Shape to_shape(const Extents& extents) {
  check(!extents.empty() && extents.size() <= 4, "shape: {} dimensions, expected 1 to 4", extents.size());
  for (const std::int64_t extent : extents) {
    check(extent > 0 && extent < (std::int64_t{1} << 31), "shape: an extent of {}, expected 1 to 2^31 - 1", extent);
  }
  const Shape shape{std::span<const std::int64_t>(extents)};
  check_elements(shape);
  return shape;
}

// A size that an op is given.
std::int64_t size(const char* name, std::int64_t value) {
  check(value > 0 && value < (std::int64_t{1} << 31), "{} is {}, expected 1 to 2^31 - 1", name, value);
  return value;
}

float probability_of(float value) {
  check(value >= 0 && value < 1, "a probability of {}, expected 0 or more and below 1", value);
  return value;
}

// What weights are drawn with, and what a variance is added to.
float finite(const char* name, float value) {
  check(std::isfinite(value) && value >= 0, "{} is {}, expected a number of 0 or more", name, value);
  return value;
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

}  // namespace

void bind_stages(nb::module_& m) {
  nb::class_<Tensor>(m, "Tensor");
  using S = StageWriter;
  nb::class_<S>(m, "Stage")
      .def(
          "batch",
          [](S& s, const std::string& name, const Extents& shape, const std::string& dtype) {
            return s.batch(name, {to_dtype(dtype), to_shape(shape)});
          },
          "name"_a, "shape"_a, "dtype"_a = "float32")
      .def(
          "variable",
          [](S& s, const std::string& name, const Extents& shape, const std::string& init, float scale, bool decays) {
            return s.wrap(s.builder().variable(s.named(name), to_shape(shape),
                                               to_initialiser(init, finite("scale", scale)), decays));
          },
          "name"_a, "shape"_a, "init"_a = "normal", "scale"_a = 0.02f, "decays"_a = true)
      .def("input", &S::input)
      .def("output", &S::output, "y"_a)
      .def("loss", &S::loss, "loss"_a)
      .def("result", &S::result, "name"_a, "y"_a)
      .def(
          "shape",
          [](S& s, const Tensor& x) {
            const Shape shape = s.builder().shape(s.of(x));
            return Extents(shape.extents().begin(), shape.extents().end());
          },
          "x"_a)
      .def(
          "linear",
          [](S& s, const std::string& name, const Tensor& x, std::int64_t outputs, float deviation) {
            finite("deviation", deviation);
            return s.wrap(
                deviation > 0
                    ? layers::linear(s.builder(), s.named(name), s.real(x), size("outputs", outputs), deviation)
                    : layers::uniform_linear(s.builder(), s.named(name), s.real(x), size("outputs", outputs)));
          },
          "name"_a, "x"_a, "outputs"_a, "deviation"_a = 0.0f)
      .def(
          "conv2d",
          [](S& s, const std::string& name, const Tensor& x, std::int64_t channels, std::int64_t kernel_size) {
            return s.wrap(layers::conv2d(s.builder(), s.named(name), s.real(x), size("channels", channels),
                                         size("kernel_size", kernel_size)));
          },
          "name"_a, "x"_a, "channels"_a, "kernel_size"_a)
      .def(
          "layer_norm",
          [](S& s, const std::string& name, const Tensor& x, float eps) {
            return s.wrap(layers::layer_norm(s.builder(), s.named(name), s.real(x), finite("eps", eps)));
          },
          "name"_a, "x"_a, "eps"_a = 1e-5f)
      .def(
          "embedding",
          [](S& s, const std::string& name, const Tensor& ids, std::int64_t entries, std::int64_t width, float scale) {
            const Initialiser normal{.kind = Initialiser::Kind::normal, .deviation = finite("scale", scale)};
            const Value numbers = s.index(ids);
            const Value table =
                s.builder().variable(s.named(name) + ".weight", to_shape({entries, width}), normal, true);
            return s.wrap(s.builder().embedding(table, numbers, {.entries = entries}));
          },
          "name"_a, "ids"_a, "entries"_a, "width"_a, "scale"_a = 0.02f)
      .def(
          "attention",
          [](S& s, const Tensor& qkv, std::int64_t heads, bool causal, float dropout) {
            const std::int64_t rows = s.builder().shape(s.real(qkv))[0];
            const Tensor segments = s.batch("segments", segments_spec(rows, 1));
            return s.wrap(s.builder()
                              .attention(s.real(qkv), s.of(segments), s.builder().position(),
                                         {.heads = size("heads", heads),
                                          .causal = causal,
                                          .probability = probability_of(dropout),
                                          .site = s.builder().new_site()})
                              .out);
          },
          "qkv"_a, "heads"_a, "causal"_a = false, "dropout"_a = 0.0f)
      .def(
          "matmul",
          [](S& s, const Tensor& a, const Tensor& b, bool transpose_b) {
            return s.wrap(s.builder().matmul(s.real(a), s.real(b), {.transpose_b = transpose_b}));
          },
          "a"_a, "b"_a, "transpose_b"_a = false)
      .def(
          "add", [](S& s, const Tensor& a, const Tensor& b) { return s.wrap(s.builder().add(s.real(a), s.real(b))); },
          "a"_a, "b"_a)
      .def(
          "relu", [](S& s, const Tensor& x) { return s.wrap(s.builder().relu(s.real(x))); }, "x"_a)
      .def(
          "gelu",
          [](S& s, const Tensor& x, bool tanh) {
            return s.wrap(s.builder().gelu(s.real(x), {.kind = tanh ? GeluKind::tanh : GeluKind::erf}));
          },
          "x"_a, "tanh"_a = false)
      .def(
          "dropout",
          [](S& s, const Tensor& x, float probability) {
            return s.wrap(layers::dropout(s.builder(), s.real(x), probability_of(probability)));
          },
          "x"_a, "probability"_a)
      .def(
          "max_pool2d",
          [](S& s, const Tensor& x, std::int64_t window, std::int64_t stride) {
            return s.wrap(
                s.builder()
                    .max_pool2d(s.real(x), {.window = size("window", window), .stride = size("stride", stride)})
                    .y);
          },
          "x"_a, "window"_a = 2, "stride"_a = 2)
      .def(
          "reshape",
          [](S& s, const Tensor& x, const Extents& shape) {
            const Shape to = to_shape(shape);
            check(to.elements() == s.builder().shape(s.of(x)).elements(), "reshape: {} has not the elements of {}",
                  to_string(to), to_string(s.builder().shape(s.of(x))));
            return s.wrap(s.builder().reshape(s.of(x), to));
          },
          "x"_a, "shape"_a)
      .def(
          "cross_entropy",
          [](S& s, const Tensor& logits, const Tensor& labels) {
            const Value classes = s.index(labels);
            const Tensor weights = s.batch("label_weights", {DType::f32, s.builder().shape(classes)});
            return s.wrap(s.builder().cross_entropy(s.real(logits), classes, s.of(weights)));
          },
          "logits"_a, "labels"_a);
}

}  // namespace phasor::python
