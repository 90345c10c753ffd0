// Records that programs keep on the device as small tensors: what each is, and its layout, which is written and read
// here alone.
#pragma once

#include <array>

#include "engine/base/random.h"
#include "engine/base/segments.h"
#include "engine/base/tensor.h"

namespace phasor {

// Where a micro-batch is at a stage instance: what random draws follow from, and which slice of a sliced stage that
// instance is, else 0.
struct PositionRecord {
  RandomPosition random;
  std::int64_t slice = 0;

  std::array<std::int64_t, 5> numbers() const {
    return {random.seed, random.step, random.first_sample, random.stage, slice};
  }
  static PositionRecord read(std::span<const std::int64_t> numbers) {
    return {.random = {.seed = numbers[0], .step = numbers[1], .first_sample = numbers[2], .stage = numbers[3]},
            .slice = numbers[4]};
  }
};
inline const TensorSpec kRandomPositionSpec{DType::i64, {5}};

// Whose the tokens of a micro-batch's rows are, so many segments a row at most (base/segments.h).
inline TensorSpec segments_spec(std::int64_t rows, std::int64_t segments) {
  return {DType::i32, {rows, segments, Segments::kNumbers}};
}

// Where an update is: of which part of which stage instance's variables.
struct UpdatePositionRecord {
  std::int64_t seed = 0;
  std::int64_t step = 0;
  std::int64_t replica = 0;
  std::int64_t stage = 0;  // number of the instance
  std::int64_t slice = 0;  // of a sliced stage, else 0

  std::array<std::int64_t, 5> numbers() const { return {seed, step, replica, stage, slice}; }
  static UpdatePositionRecord read(std::span<const std::int64_t> numbers) {
    return {.seed = numbers[0], .step = numbers[1], .replica = numbers[2], .stage = numbers[3], .slice = numbers[4]};
  }
};
inline const TensorSpec kUpdatePositionSpec{DType::i64, {5}};

// What a step of Adam depends on, whatever the variable (kernels/optimizers/optimizer.h).
struct AdamStepRecord {
  float learning_rate = 0;
  float gradient_scale = 1;  // what gradients are multiplied by before anything else: undoes the scale of the loss
  float correction1 = 1, correction2 = 1;  // of the moments' bias; the latter of Adafactor the part that stays

  std::array<float, 4> numbers() const { return {learning_rate, gradient_scale, correction1, correction2}; }
  static AdamStepRecord read(std::span<const float> numbers) {
    return {.learning_rate = numbers[0],
            .gradient_scale = numbers[1],
            .correction1 = numbers[2],
            .correction2 = numbers[3]};
  }
};
inline const TensorSpec kAdamStepSpec{DType::f32, {4}};

// An exact sum of squares, which none but its kernels look into (kernels/square_sum.h).
inline constexpr std::int64_t kSquareSumNumbers = 20;
inline const TensorSpec kSquareSumSpec{DType::i64, {kSquareSumNumbers}};
// Of a variable under LAMB: the sums of its weights and of its directions, one behind the other.
inline const TensorSpec kLambSumsSpec{DType::i64, {2 * kSquareSumNumbers}};

}  // namespace phasor
