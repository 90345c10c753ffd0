#include <algorithm>

#include "engine/base/error.h"
#include "io/json/json_text.h"
#include "io/safetensors/safetensors.h"
#include "io/safetensors/safetensors_json.h"

namespace phasor::io {

namespace {

struct FormatType {
  std::string_view name;
  std::int64_t bytes;
};
constexpr FormatType kFormatTypes[] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1},
                                       {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},
                                       {"U32", 4},  {"F32", 4}, {"F64", 8}, {"I64", 8},     {"U64", 8}};

// Bytes that type and shape ask for.
std::int64_t bytes_of(const std::string& path, const StoredTensor& tensor) {
  const auto type = std::ranges::find(kFormatTypes, tensor.dtype, &FormatType::name);
  check(type != std::end(kFormatTypes), "safetensors: '{}' tensor '{}' has the unknown dtype '{}'", path,
        shown(tensor.name), shown(tensor.dtype));
  std::int64_t bytes = type->bytes;
  for (const std::int64_t extent : tensor.shape) {
    check(!__builtin_mul_overflow(bytes, extent, &bytes), "safetensors: '{}' tensor '{}' has more elements than fit",
          path, shown(tensor.name));
  }
  return bytes;
}

// Sorted by where they lie, tensors follow each other from the first byte of the data to the last.
void check_layout(const std::string& path, const std::vector<StoredTensor>& tensors, std::int64_t data_bytes) {
  std::vector<const StoredTensor*> placed(tensors.size());
  std::ranges::transform(tensors, placed.begin(), [](const StoredTensor& tensor) { return &tensor; });
  std::ranges::sort(placed, {}, [](const StoredTensor* t) { return std::pair(t->begin, t->end); });
  std::int64_t end = 0;
  for (const StoredTensor* tensor : placed) {
    const std::string name = shown(tensor->name);
    check(tensor->end <= data_bytes,
          "safetensors: '{}' tensor '{}' ends at byte {} of the data, which has {}. Was the file copied to its end?",
          path, name, tensor->end, data_bytes);
    check(tensor->begin >= end,
          "safetensors: '{}' tensor '{}' begins at byte {} of the data inside of another's, "
          "which ends at {}",
          path, name, tensor->begin, end);
    check(tensor->begin == end, "safetensors: '{}' has bytes {} to {} of the data that belong to no tensor", path, end,
          tensor->begin);
    end = tensor->end;
  }
  check(end == data_bytes, "safetensors: '{}' has bytes {} to {} of the data that belong to no tensor", path, end,
        data_bytes);
}

}  // namespace

std::vector<StoredTensor> parse_safetensors_header(const std::string& path, std::string_view header,
                                                   std::int64_t data_bytes) {
  std::vector<StoredTensor> tensors = read_safetensors_json(path, header);
  for (const StoredTensor& tensor : tensors) {
    const std::int64_t bytes = bytes_of(path, tensor), given = tensor.end - tensor.begin;
    check(tensor.begin <= tensor.end, "safetensors: '{}' tensor '{}' ends at byte {}, before it begins at {}", path,
          shown(tensor.name), tensor.end, tensor.begin);
    check(bytes == given, "safetensors: '{}' tensor '{}' is {} of {} bytes, but its data_offsets span {}", path,
          shown(tensor.name), to_string(tensor), bytes, given);
  }
  check_layout(path, tensors, data_bytes);
  std::ranges::sort(tensors, {}, &StoredTensor::name);
  const auto twice = std::ranges::adjacent_find(tensors, {}, &StoredTensor::name);
  check(twice == tensors.end(), "safetensors: '{}' has the tensor '{}' twice", path,
        twice == tensors.end() ? "" : shown(twice->name));
  return tensors;
}

}  // namespace phasor::io
