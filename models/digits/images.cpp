#include "models/digits/images.h"

#include <filesystem>

#include "engine/base/error.h"
#include "io/datasets/idx_file.h"

namespace phasor::digits {

namespace {

namespace fs = std::filesystem;

std::string find_file(const std::string& folder, const std::string& name) {
  check(fs::is_directory(folder), "digits: '{}' is {}, expected the folder of MNIST's files, such as {}", folder,
        fs::exists(folder) ? "a file" : "not there", name);
  for (const char* ending : {"", ".gz"}) {
    const std::string path = folder + "/" + name + ending;
    if (fs::exists(path)) return path;
  }
  throw UserError(fmt::format("digits: '{0}' has neither {1} nor {1}.gz, MNIST's name of the file", folder, name));
}

std::string name_of(Part part, const char* content) {
  return fmt::format("{}-{}-ubyte", part == Part::train ? "train" : "t10k", content);
}

Images read_images(const std::string& path, const convnet::Config& model) {
  io::IdxImages file = io::read_idx_images(path);
  check(file.rows == model.image_size && file.columns == model.image_size,
        "digits: the images of '{}' are {} x {}, but model.image_size is {}", path, file.rows, file.columns,
        model.image_size);
  check(file.count > 0, "digits: '{}' has no images", path);
  return {.rows = file.rows, .columns = file.columns, .pixels = std::move(file.pixels), .labels = {}};
}

}  // namespace

Images load_images(const std::string& folder, Part part, const convnet::Config& model) {
  const std::string path = find_file(folder, name_of(part, "images-idx3"));
  const std::string path_of_labels = find_file(folder, name_of(part, "labels-idx1"));
  Images images = read_images(path, model);
  images.labels = io::read_idx_labels(path_of_labels);
  check(std::ssize(images.labels) == images.size(), "digits: '{}' has {} labels for the {} images of '{}'",
        path_of_labels, images.labels.size(), images.size(), path);
  for (std::size_t i = 0; i < images.labels.size(); ++i) {
    check(images.labels[i] < model.classes, "digits: label {} of '{}' is {}, but model.classes is {}", i,
          path_of_labels, images.labels[i], model.classes);
  }
  return images;
}

Images load_unlabelled_images(const std::string& path, const convnet::Config& model) {
  return read_images(fs::is_regular_file(path) ? path : find_file(path, name_of(Part::test, "images-idx3")), model);
}

}  // namespace phasor::digits
