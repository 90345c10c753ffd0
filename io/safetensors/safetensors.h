// Safetensors files: named tensors, as Transformers keeps weights. https://huggingface.co/docs/safetensors
//
//   8 bytes    length of the header, little-endian
//   header     JSON: {"NAME": {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, "__metadata__": {...}}
//   data       the elements, row-major, little-endian; the offsets count from here and leave neither gap nor overlap
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/shape.h"

namespace phasor::io {

// Types that weights are kept in.
enum class StoredType : std::uint8_t { f32, f16, bf16 };

std::string_view name_of(StoredType type);  // as the format writes it: "F32"
std::optional<StoredType> find_stored_type(std::string_view name);
constexpr std::int64_t size_of(StoredType type) { return type == StoredType::f32 ? 4 : 2; }

struct StoredTensor {
  std::string name;
  std::string dtype;                // any type of the format, not only a StoredType
  std::vector<std::int64_t> shape;  // of any rank
  std::int64_t begin = 0, end = 0;  // bytes of the data
};
std::string to_string(const StoredTensor& tensor);  // "F32[2, 3]"

// The tensors that a header describes, by name, every fact checked: the types are known, the shapes agree with the
// offsets, and the offsets with each other and with the `data_bytes` that follow the header. Anything else is a
// UserError that names `path`. Takes memory in proportion to the header.
std::vector<StoredTensor> parse_safetensors_header(const std::string& path, std::string_view header,
                                                   std::int64_t data_bytes);

// A file open for reading. Nothing but the header stays in memory. Any number of threads may read at once.
class SafetensorsFile {
 public:
  static constexpr std::int64_t kMaxHeaderBytes = 100'000'000;  // the format's own limit

  explicit SafetensorsFile(const std::string& path);
  SafetensorsFile(SafetensorsFile&& other) noexcept;
  SafetensorsFile& operator=(SafetensorsFile&&) = delete;
  ~SafetensorsFile();

  const std::string& path() const { return path_; }
  const std::vector<StoredTensor>& tensors() const { return tensors_; }  // by name
  const StoredTensor* find(std::string_view name) const;                 // null where there is none

  // The elements of one of this file's tensors, which is of a StoredType and has as many. Each is the float of the same
  // value.
  void read(const StoredTensor& tensor, std::span<float> values) const;

 private:
  void read_bytes(std::int64_t position, std::span<std::byte> bytes) const;

  std::string path_;
  int descriptor_ = -1;
  std::int64_t data_begin_ = 0;  // in the file
  std::vector<StoredTensor> tensors_;
};

}  // namespace phasor::io
