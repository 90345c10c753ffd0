// A file of tests/goldens: what PyTorch computes of a model, and how far float32 may be from it. The files are made by
// scripts/goldens, where golden_file.py says what they hold.
#pragma once

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "engine/train/trainer.h"
#include "io/hdf5/hdf5.h"

namespace phasor::test {

class Golden {
 public:
  explicit Golden(const std::string& name)
      : file_(io::Hdf5File::open(PHASOR_SOURCE_DIR "/tests/goldens/" + name + ".h5")) {}

  std::int64_t integer(const char* name) const { return file_.integer_attribute("/", name); }
  float real(const char* name) const { return static_cast<float>(file_.double_attribute("/", name)); }
  template <class T>
  std::vector<T> values(const std::string& name) const {
    return file_.read<T>(name);
  }

  // Two float32 computations of one quantity differ by a small multiple of the error that either has. PyTorch's is
  // known from its float64 twin; where it happens to be small, an ulp of the largest element stands for it.
  double tolerance(double rounding, double scale) const {
    return 8 * (rounding + std::numeric_limits<float>::epsilon() * scale);
  }
  double tolerance(const std::string& name) const {
    return tolerance(file_.double_attribute(name, "rounding"), file_.double_attribute(name, "scale"));
  }

  OptimizerOptions optimizer() const {
    return {.beta1 = file_.double_attribute("/", "beta1"),
            .beta2 = file_.double_attribute("/", "beta2"),
            .eps = real("eps"),
            .weight_decay = real("weight_decay"),
            .bias_correction = true};
  }

 private:
  io::Hdf5File file_;
};

// The part with that number, of parts of `size` elements.
template <class T>
std::span<const T> part(const std::vector<T>& values, std::int64_t number, std::int64_t size) {
  return std::span<const T>(values).subspan(static_cast<std::size_t>(number * size), static_cast<std::size_t>(size));
}

inline void expect_near(const std::vector<float>& actual, const std::vector<float>& expected, double tolerance,
                        const std::string& name) {
  ASSERT_EQ(actual.size(), expected.size()) << name;
  double worst = 0;
  for (std::size_t i = 0; i < actual.size(); ++i) worst = std::max(worst, std::abs(double{actual[i]} - expected[i]));
  EXPECT_LE(worst, tolerance) << name;
}

// Every tensor of the kind, times `factor`, is what the golden has in `group`.
inline void expect_state(const Golden& golden, const Stages& stages, const ModelState& state, StateKind kind,
                         const std::string& group, double factor = 1) {
  for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
    const std::string name = group + "/" + tensor.name;
    std::vector<float> values = state.read(kind, tensor);
    for (float& value : values) value = static_cast<float>(value * factor);
    expect_near(values, golden.values<float>(name), golden.tolerance(name), name);
  }
}

inline void write_initial(const Golden& golden, const Stages& stages, ModelState& state) {
  for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
    state.write(StateKind::weight, tensor, golden.values<float>("initial/" + tensor.name));
  }
}

// Trains as many steps as the golden has, from its first weights: losses, gradients of the first step and the last
// weights are the golden's. The gradients are read off the first moment, which after one step is 1 - beta1 of them, in
// every mode. `write_batch` writes the batch of a step.
template <class WriteBatch>
void expect_training(const Golden& golden, Trainer& trainer, WriteBatch write_batch) {
  trainer.state().initialise(1);
  write_initial(golden, trainer.stages(), trainer.state());
  const auto losses = golden.values<float>("loss");
  const auto rounding = golden.values<float>("loss_rounding");
  for (std::int64_t step = 0; step < std::ssize(losses); ++step) {
    write_batch(step);
    const double loss = trainer.step({.step = step, .learning_rate = golden.real("learning_rate")});
    EXPECT_NEAR(loss, losses[step], golden.tolerance(rounding[step], losses[step])) << "step " << step;
    if (step > 0) continue;
    expect_state(golden, trainer.stages(), trainer.state(), StateKind::moment1, "gradient",
                 1 / (1 - golden.optimizer().beta1));
  }
  expect_state(golden, trainer.stages(), trainer.state(), StateKind::weight, "final");
}

}  // namespace phasor::test
