#include "engine/ir/op_table.h"

namespace phasor {

namespace {

// Whether there are as many as the row lists, up to the last, of which `last` tells.
bool counts(std::size_t actual, std::size_t least, std::size_t most, bool repeats) {
  return actual >= least && (actual <= most || repeats);
}

void expect_inputs(const OpInfo& info, std::size_t actual) {
  const std::size_t most = info.count_inputs();
  std::size_t least = most;
  while (least > 0 && info.inputs[least - 1].presence != Presence::always) --least;
  const bool repeats = most > 0 && info.inputs[most - 1].presence == Presence::repeated;
  ensure(counts(actual, least, most, repeats), "{}: {} inputs, expected {}", info.name, actual,
         least < most ? fmt::format("{} to {}", least, most) : fmt::format("{}", most));
}

void expect_outputs(const OpInfo& info, std::size_t actual) {
  const std::size_t most = info.count_outputs(), least = info.last_output == Presence::always ? most : most - 1;
  ensure(counts(actual, least, most, info.last_output == Presence::repeated), "{}: {} outputs, expected {}", info.name,
         actual, most);
}

}  // namespace

const Operand& OpInfo::input(std::size_t k) const {
  const std::size_t count = count_inputs();
  const bool repeats = count > 0 && inputs[count - 1].presence == Presence::repeated;
  ensure(k < count || repeats, "{}: has no input {}", name, k);
  return inputs[std::min(k, count - 1)];
}

std::string_view OpInfo::output(std::size_t k) const {
  const std::size_t count = count_outputs();
  ensure(k < count || last_output == Presence::repeated, "{}: has no output {}", name, k);
  return outputs[std::min(k, count - 1)];
}

std::size_t OpInfo::input_of(OperandRole role) const {
  const std::size_t count = count_inputs();
  std::size_t k = 0;
  while (k < count && inputs[k].role != role) ++k;
  ensure(k < count, "{}: no input has role {}", name, static_cast<int>(role));
  return k;
}

Specs output_specs(Op op, std::span<const TensorSpec> inputs, const Attributes& attributes) {
  const OpInfo& info = op_info(op);
  expect_inputs(info, inputs.size());
  Specs outputs = info.shapes(inputs, attributes);
  expect_outputs(info, outputs.size());
  return outputs;
}

}  // namespace phasor
