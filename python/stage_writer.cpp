#include "python/stage_writer.h"

#include <algorithm>
#include <cctype>

#include "engine/base/error.h"

namespace phasor::python {

const std::string& check_name(const std::string& what, const std::string& name) {
  constexpr std::size_t kLongest = 200;
  const auto goes = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '_' || c == '-'; };
  check(!name.empty() && name.size() <= kLongest && std::ranges::all_of(name, goes),
        "{} is named '{}', expected up to {} of the letters A to Z, digits, '.', '_' and '-'", what,
        name.substr(0, kLongest), kLongest);
  return name;
}

void check_elements(const Shape& shape) {
  constexpr double kMost = 1e12;
  double elements = 1;
  for (const std::int64_t extent : shape.extents()) elements *= static_cast<double>(extent);
  check(elements <= kMost, "shape: {} has {:.3g} elements, expected {:.0e} at most", to_string(shape), elements, kMost);
}

StageWriter::StageWriter(const std::string& name, int instances, std::optional<TensorSpec> x)
    : stage_(std::make_shared<Stage>(Stage{.name = check_name("a stage", name),
                                           .instances = instances,
                                           .prefix = instances > 1 ? name + ".{}." : name + "."})),
      builder_(*stage_),
      x_(x) {}

Tensor StageWriter::wrap(Value value) const {
  check_elements(stage_->graph.spec(value).shape);
  return {value, stage_};
}

Value StageWriter::of(const Tensor& tensor) const {
  check(tensor.stage == stage_,
        "stage '{}': a tensor of another stage was given; output() and input() lead from one to the next",
        stage_->name);
  return tensor.value;
}

Value StageWriter::real(const Tensor& tensor) const {
  const Value value = of(tensor);
  check(stage_->graph.spec(value).dtype == DType::f32,
        "stage '{}': a tensor of int32 where float32 is computed with; embedding's ids and cross_entropy's labels are "
        "int32",
        stage_->name);
  return value;
}

Value StageWriter::index(const Tensor& tensor) const {
  const Value value = of(tensor);
  check(stage_->graph.spec(value).dtype == DType::i32,
        "stage '{}': ids and labels are float32, expected batch(..., dtype=\"int32\")", stage_->name);
  return value;
}

const std::string& StageWriter::named(const std::string& name) const {
  return check_name(fmt::format("stage '{}': a variable", stage_->name), name);
}

Tensor StageWriter::batch(const std::string& name, const TensorSpec& spec) {
  check_name(fmt::format("stage '{}': a batch input", stage_->name), name);
  for (const auto& [other, value] : stage_->batch) {
    if (other != name) continue;
    check(stage_->graph.spec(value) == spec, "stage '{}': batch input '{}' is {} and {}", stage_->name, name,
          to_string(stage_->graph.spec(value)), to_string(spec));
    return wrap(value);
  }
  return wrap(builder_.batch(name, spec));
}

Tensor StageWriter::input() {
  check(x_.has_value(), "stage '{}' is the first: it has no input, only batch()", stage_->name);
  if (!stage_->x.valid()) builder_.activation_in(*x_);
  return wrap(stage_->x);
}

void StageWriter::output(const Tensor& y) {
  check(!stage_->y.valid(), "stage '{}': it has an output() already", stage_->name);
  builder_.activation_out(real(y));
}

void StageWriter::loss(const Tensor& loss) {
  check(!stage_->loss.valid(), "stage '{}': it has a loss() already", stage_->name);
  const Value value = real(loss);
  const TensorSpec& spec = stage_->graph.spec(value);
  check(spec.shape == Shape{1}, "stage '{}': the loss is {}, expected one number, as cross_entropy makes it",
        stage_->name, to_string(spec));
  builder_.loss(value);
}

void StageWriter::result(const std::string& name, const Tensor& value) {
  check_name(fmt::format("stage '{}': a result", stage_->name), name);
  for (const auto& [other, made] : stage_->results) {
    check(other != name, "stage '{}': result '{}' is there twice", stage_->name, name);
  }
  builder_.result(name, real(value));
}

}  // namespace phasor::python
