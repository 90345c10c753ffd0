#include "models/tasks/checkpoint.h"

#include "io/atomic_file.h"
#include "io/hdf5.h"

namespace phasor::tasks {

namespace {

constexpr const char* kFormat = "phasor checkpoint";
constexpr std::int64_t kVersion = 1;

constexpr const char* kGroups[] = {"weight", "moment1", "moment2"};  // in the order of kSavedStates

std::string dataset_name(StateKind kind, const CanonicalTensor& tensor) {
  return fmt::format("/{}/{}", kGroups[static_cast<int>(kind)], tensor.name);
}

void check_format(const io::Hdf5File& file) {
  check(file.has_attribute("/", "format") && file.string_attribute("/", "format") == kFormat,
        "checkpoint: '{}' is an HDF5 file, but not a checkpoint", file.path());
  const std::int64_t version = file.integer_attribute("/", "version");
  check(version <= kVersion, "checkpoint: '{}' has version {}, this program reads up to {}", file.path(), version,
        kVersion);
}

void check_tensor(const io::Hdf5File& file, const std::string& name, const Shape& expected) {
  check(file.exists(name), "checkpoint: '{}' has no tensor '{}'. Is it of another model?", file.path(), name);
  const io::Hdf5Dataset found = file.dataset(name);
  check(found.type == io::Hdf5Type::f32 && found.shape == expected,
        "checkpoint: '{}' tensor '{}' is {}{}, the model's is f32{}", file.path(), name, io::name_of(found.type),
        to_string(found.shape), to_string(expected));
}

}  // namespace

void save_checkpoint(const std::string& path, const Stages& stages, const ModelState& state,
                     const RunPosition& position) {
  io::write_atomically(path, [&](const std::string& temporary) {
    io::Hdf5File file = io::Hdf5File::create(temporary);
    file.set_attribute("/", "format", kFormat);
    file.set_attribute("/", "version", kVersion);
    file.set_attribute("/", "step", position.step);
    file.set_attribute("/", "samples", position.samples);
    file.set_attribute("/", "seed", position.seed);
    file.set_attribute("/", "config", position.config);
    for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
      for (StateKind kind : kSavedStates) {
        const std::vector<float> values = state.read(kind, tensor);
        file.write(dataset_name(kind, tensor), tensor.shape, std::span<const float>(values));
      }
    }
    file.close();
  });
}

RunPosition read_position(const std::string& path) {
  const io::Hdf5File file = io::Hdf5File::open(path);
  check_format(file);
  return {.step = file.integer_attribute("/", "step"),
          .samples = file.integer_attribute("/", "samples"),
          .seed = file.integer_attribute("/", "seed"),
          .config = file.string_attribute("/", "config")};
}

void load_checkpoint(const std::string& path, const Stages& stages, ModelState& state) {
  const io::Hdf5File file = io::Hdf5File::open(path);
  check_format(file);
  const std::vector<CanonicalTensor> tensors = canonical_tensors(stages);
  for (const CanonicalTensor& tensor : tensors) {
    for (StateKind kind : kSavedStates) check_tensor(file, dataset_name(kind, tensor), tensor.shape);
  }
  // A first pass reads every element, and its checksum with it, before the second replaces anything.
  for (const bool replace : {false, true}) {
    for (const CanonicalTensor& tensor : tensors) {
      for (StateKind kind : kSavedStates) {
        const std::vector<float> values = file.read<float>(dataset_name(kind, tensor));
        if (replace) state.write(kind, tensor, values);
      }
    }
  }
}

}  // namespace phasor::tasks
