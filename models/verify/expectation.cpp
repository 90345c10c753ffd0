#include "models/verify/expectation.h"

#include <algorithm>
#include <cmath>

namespace phasor::run {

namespace {

bool is_power_of_two(float x) {
  int exponent = 0;
  return std::frexp(x, &exponent) == 0.5f;
}

struct KeyRounding {
  const char* key;  // or the beginning of several that ends in a dot
  Rounding rounding;
  const char* why;
};

constexpr KeyRounding kKeys[] = {
    {"execution.data_parallel", Rounding::order, "divides the sums over a batch otherwise"},
    {"execution.micro_batch_size", Rounding::order, "divides the sums over a batch otherwise"},
    {"execution.reproducible", Rounding::order, "sums micro-batches in another order"},
    {"execution.products", Rounding::order, "multiplies by another library"},
    {"execution.loss_scaling", Rounding::order, "is no power of two, and rounds gradients otherwise"},
    {"data.packing", Rounding::order, "places samples in other rows, and sums over tokens in another order"},
    {"model.precision", Rounding::precision, "rounds weights and activations to bfloat16 in one of them"},
    {"execution.", Rounding::none, ""},
    {"checkpoint.load", Rounding::unknown, "starts from other weights"},
    {"checkpoint.", Rounding::none, ""},
    {"data.cache", Rounding::none, ""},
    {"training.tensorboard", Rounding::none, ""},
    {"training.report", Rounding::none, ""},
    {"training.fingerprint", Rounding::none, ""},
    {"training.stop_after", Rounding::none, ""},
};

Expectation expectation_of_key(const RunConfig& a, const RunConfig& b, const std::string& key) {
  const ExecutionConfig &mine = a.execution, &other = b.execution;
  if (key == "execution.data_parallel" && mine.reproducible && other.reproducible) return {};
  if (key == "execution.loss_scaling" && is_power_of_two(mine.loss_scaling) && is_power_of_two(other.loss_scaling)) {
    return {};
  }
  const auto found = std::ranges::find_if(kKeys, [&](const KeyRounding& row) {
    return key == row.key || (std::string_view(row.key).ends_with('.') && key.starts_with(row.key));
  });
  if (found == std::end(kKeys)) return {Rounding::unknown, key + " computes something else"};
  return {found->rounding, found->rounding == Rounding::none ? "" : fmt::format("{} {}", key, found->why)};
}

}  // namespace

Expectation expectation_of(const RunConfig& a, const RunConfig& b, const std::vector<ConfigChange>& changes) {
  Expectation most;
  for (const ConfigChange& change : changes) {
    Expectation one = expectation_of_key(a, b, change.key);
    if (one.rounding > most.rounding) most = std::move(one);
  }
  // In bfloat16 the last bit of a sum may turn into one of bfloat16's.
  if (most.rounding == Rounding::order && a.precision == Precision::bfloat16) most.rounding = Rounding::precision;
  return most;
}

}  // namespace phasor::run
