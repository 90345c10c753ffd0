// Writes a safetensors file (safetensors.h) tensor by tensor.
#pragma once

#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/base/shape.h"
#include "io/safetensors/safetensors.h"

namespace phasor::io {

struct TensorToStore {
  std::string name;
  Shape shape;
};

class SafetensorsWriter {
 public:
  // Replaces a file of that name and writes the header; all tensors are of one type. Whatever the file system refuses
  // is a UserError.
  SafetensorsWriter(const std::string& path, StoredType type, std::vector<TensorToStore> tensors);

  // The elements of the next tensor in that order, rounded to the nearest value of the type. A finite one that float16
  // has no finite value for is a UserError.
  void write(std::span<const float> values);

  // After the last tensor. A full disk shows here at the latest.
  void close();

 private:
  struct CloseFile {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  void write_bytes(std::span<const std::byte> bytes);

  std::string path_;
  StoredType type_;
  std::vector<TensorToStore> tensors_;
  std::size_t next_ = 0;
  std::unique_ptr<std::FILE, CloseFile> file_;
};

}  // namespace phasor::io
