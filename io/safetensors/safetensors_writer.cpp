#include "io/safetensors/safetensors_writer.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>

#include "engine/base/bfloat16.h"
#include "engine/base/error.h"
#include "io/safetensors/float16.h"

namespace phasor::io {

namespace {

constexpr std::size_t kPieceOfWriting = 1 << 19;  // elements converted at once
constexpr std::size_t kHeaderAlignment = 8;       // so that the data begins at a multiple of it

std::string make_header(StoredType type, const std::vector<TensorToStore>& tensors) {
  nlohmann::ordered_json header;
  header["__metadata__"] = {{"format", "pt"}};  // Transformers loads no file without
  std::int64_t end = 0;
  for (const TensorToStore& tensor : tensors) {
    const std::int64_t begin = std::exchange(end, end + tensor.shape.elements() * size_of(type));
    header[tensor.name] = {{"dtype", name_of(type)}, {"shape", tensor.shape.extents()}, {"data_offsets", {begin, end}}};
  }
  std::string text = header.dump();
  text.resize((text.size() + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment, ' ');
  return text;
}

}  // namespace

SafetensorsWriter::SafetensorsWriter(const std::string& path, StoredType type, std::vector<TensorToStore> tensors)
    : path_(path), type_(type), tensors_(std::move(tensors)), file_(std::fopen(path.c_str(), "wb")) {
  const int error = errno;
  check(file_ != nullptr, "safetensors: '{}' cannot be written: {}", path, std::strerror(error));
  const std::string header = make_header(type, tensors_);
  const std::uint64_t bytes = header.size();
  write_bytes(std::as_bytes(std::span(&bytes, 1)));
  write_bytes(std::as_bytes(std::span(header)));
}

void SafetensorsWriter::write(std::span<const float> values) {
  ensure(next_ < tensors_.size(), "safetensors: '{}' has {} tensors, one more is written", path_, tensors_.size());
  const TensorToStore& tensor = tensors_[next_++];
  ensure(static_cast<std::int64_t>(values.size()) == tensor.shape.elements(), "safetensors: {} values for '{}' {}",
         values.size(), tensor.name, to_string(tensor.shape));
  if (type_ == StoredType::f32) return write_bytes(std::as_bytes(values));
  if (type_ == StoredType::f16) {
    const auto large = std::ranges::find_if(
        values, [](float x) { return std::isfinite(x) && !std::isfinite(to_float(to_float16(x))); });
    check(large == values.end(), "safetensors: tensor '{}' has the value {}, float16 ends at {}. Try bfloat16",
          tensor.name, large == values.end() ? 0 : *large, kLargestFloat16);
  }
  std::vector<std::uint16_t> piece;
  while (!values.empty()) {
    piece.resize(std::min(kPieceOfWriting, values.size()));
    const auto part = values.first(piece.size());
    if (type_ == StoredType::f16) {
      std::ranges::transform(part, piece.begin(), [](float x) { return to_float16(x).bits; });
    } else {
      std::ranges::transform(part, piece.begin(), [](float x) { return to_bfloat16(x).bits; });
    }
    write_bytes(std::as_bytes(std::span(piece)));
    values = values.subspan(piece.size());
  }
}

void SafetensorsWriter::close() {
  ensure(next_ == tensors_.size(), "safetensors: '{}' got {} of {} tensors", path_, next_, tensors_.size());
  const bool done = std::fclose(file_.release()) == 0;
  const int error = errno;
  check(done, "safetensors: '{}' cannot be written: {}", path_, std::strerror(error));
}

void SafetensorsWriter::write_bytes(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;  // may have no address
  const bool done = std::fwrite(bytes.data(), 1, bytes.size(), file_.get()) == bytes.size();
  const int error = errno;
  check(done, "safetensors: '{}' cannot be written: {}", path_, std::strerror(error));
}

}  // namespace phasor::io
