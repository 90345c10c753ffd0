#include "models/transformers/folder_writer.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>

#include "engine/base/error.h"
#include "io/files/atomic_folder.h"
#include "io/safetensors/safetensors_writer.h"
#include "models/transformers/config_json.h"

namespace phasor::transformers {

namespace {

constexpr const char* kWeightsFile = "model.safetensors";
constexpr std::array kFiles = {kConfigFile,  "vocab.txt",          "vocab.json",
                               "merges.txt", kTokenizerConfigFile, kWeightsFile};

void write_text(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  check(file.good(), "transformers: '{}' cannot be written", path);
}

void write_weights(const std::string& path, const FolderContents& contents) {
  std::vector<io::TensorToStore> tensors;
  for (const CanonicalTensor& tensor : contents.tensors) tensors.push_back({tensor.name, tensor.shape});
  io::SafetensorsWriter writer(path, contents.type, std::move(tensors));
  for (const CanonicalTensor& tensor : contents.tensors) writer.write(contents.read(tensor));
  writer.close();
}

}  // namespace

void check_replaceable(const std::string& folder, bool force) {
  const auto status = std::filesystem::status(folder);
  if (!std::filesystem::exists(status)) return;
  check(std::filesystem::is_directory(status), "convert: '{}' exists and is no folder. Choose another name", folder);
  std::error_code error;
  const bool empty = std::filesystem::is_empty(folder, error);
  check(!error, "convert: '{}' cannot be read: {}", folder, error.message());
  if (empty) return;
  check(force, "convert: '{}' exists and is not empty. Choose another folder, or give --force to replace it", folder);
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename();
    check(std::ranges::find(kFiles, name) != kFiles.end(),
          "convert: '{}' has '{}', which convert never wrote: even --force replaces only folders of {}. Choose another",
          folder, name, fmt::join(kFiles, ", "));
  }
}

void write_folder(const std::string& folder, const FolderContents& contents) {
  io::write_folder_atomically(folder, [&](const std::string& temporary) {
    for (const TextFile& file : contents.texts) write_text(temporary + "/" + file.name, file.text);
    write_weights(temporary + "/" + kWeightsFile, contents);
  });
}

}  // namespace phasor::transformers
