// MNIST's files with made-up images, small enough to train on in a test.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>

#include "models/config/run_config.h"

namespace phasor::test {

inline std::string idx_number(std::uint32_t value) {
  return {static_cast<char>(value >> 24), static_cast<char>(value >> 16), static_cast<char>(value >> 8),
          static_cast<char>(value)};
}

// Images and labels `part` ("train" or "t10k") of a folder: image i, of side x side pixels, has a bar whose height
// tells its digit, i mod 10, somewhere across.
inline void write_digit_files(const std::string& folder, const std::string& part, std::uint32_t count,
                              std::uint32_t side = 28) {
  std::string pixels, labels;
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string image(side * side, '\0');
    const std::uint32_t digit = i % 10, row = digit * (side - 2) / 10, column = i * 7 % (side / 2);
    for (std::uint32_t x = column; x < column + side / 2; ++x) {
      image[row * side + x] = image[(row + 1) * side + x] = static_cast<char>(255 - i % 50);
    }
    pixels += image;
    labels += static_cast<char>(digit);
  }
  std::ofstream(folder + "/" + part + "-images-idx3-ubyte", std::ios::binary)
      << idx_number(2051) << idx_number(count) << idx_number(side) << idx_number(side) << pixels;
  std::ofstream(folder + "/" + part + "-labels-idx1-ubyte", std::ios::binary)
      << idx_number(2049) << idx_number(count) << labels;
}

// A run on these files, of images of that size: several micro-batches a step, an epoch that does not end with a step.
inline run::RunConfig digit_run(const std::string& folder, std::int64_t side = 28) {
  run::RunConfig config;
  config.model =
      convnet::Config{.image_size = side, .channels1 = 4, .channels2 = 6, .kernel_size = 5, .hidden_size = 16};
  config.data.task = task_options::DigitsOptions{};
  config.data.train = config.data.dev = folder;
  config.data.cache = "none";
  config.training.steps = 8;
  config.training.global_batch_size = 24;
  config.training.optimizer.bias_correction = true;
  config.training.learning_rate = 1e-2f;
  config.execution.micro_batch_size = 2;
  config.execution.threads_per_replica = 1;
  return config;
}

}  // namespace phasor::test
