// MNIST's files: pictures of digits, and which digits they are.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/convnet/config.h"

namespace phasor::digits {

struct Images {
  std::int64_t rows = 0, columns = 0;
  std::vector<std::uint8_t> pixels;  // [size, rows, columns]; 0 is the ground, 255 ink
  std::vector<std::uint8_t> labels;  // [size], or none: nobody says

  std::int64_t pixels_of_one() const { return rows * columns; }
  std::int64_t size() const { return static_cast<std::int64_t>(pixels.size()) / pixels_of_one(); }
};

// Which of the files in MNIST's folder.
enum class Part : std::uint8_t {
  train,  // train-images-idx3-ubyte and train-labels-idx1-ubyte, each as it is or with .gz
  test,   // t10k-images-idx3-ubyte and t10k-labels-idx1-ubyte, likewise
};

// Images of the model's size, one at least, with a label for each, which is a class of the model. A folder without the
// files, and whatever is wrong in them, is a UserError.
Images load_images(const std::string& folder, Part part, const convnet::Config& model);

// Without labels: of a folder's part `test`, or of one file of images.
Images load_unlabelled_images(const std::string& path, const convnet::Config& model);

}  // namespace phasor::digits
