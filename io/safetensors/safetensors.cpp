#include "io/safetensors/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "engine/base/bfloat16.h"
#include "engine/base/error.h"
#include "io/safetensors/float16.h"

namespace phasor::io {

static_assert(std::endian::native == std::endian::little, "the format is little-endian, and read as it lies");

namespace {

constexpr std::pair<StoredType, std::string_view> kStoredTypes[] = {
    {StoredType::f32, "F32"}, {StoredType::f16, "F16"}, {StoredType::bf16, "BF16"}};

constexpr std::size_t kPieceElements = 1 << 19;  // converted at once

}  // namespace

std::string_view name_of(StoredType type) {
  return std::ranges::find(kStoredTypes, type, &std::pair<StoredType, std::string_view>::first)->second;
}

std::optional<StoredType> find_stored_type(std::string_view name) {
  for (const auto& [type, text] : kStoredTypes) {
    if (text == name) return type;
  }
  return std::nullopt;
}

std::string to_string(const StoredTensor& tensor) {
  return fmt::format("{}[{}]", tensor.dtype, fmt::join(tensor.shape, ", "));
}

SafetensorsFile::SafetensorsFile(const std::string& path) : path_(path) {
  descriptor_ = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const int error = errno;
  check(descriptor_ >= 0, "safetensors: '{}' cannot be opened: {}", path, std::strerror(error));
  try {
    struct stat status {};
    check(fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode), "safetensors: '{}' is not a file", path);
    const std::int64_t bytes = status.st_size;
    std::uint64_t header_bytes = 0;
    constexpr auto kLength = static_cast<std::int64_t>(sizeof(header_bytes));
    check(bytes >= kLength, "safetensors: '{}' has {} bytes, not even the length of a header", path, bytes);
    read_bytes(0, std::as_writable_bytes(std::span(&header_bytes, 1)));
    check(header_bytes <= static_cast<std::uint64_t>(kMaxHeaderBytes),
          "safetensors: '{}' has a header of {} bytes, the format allows {}. Is it this format?", path, header_bytes,
          kMaxHeaderBytes);
    data_begin_ = kLength + static_cast<std::int64_t>(header_bytes);
    check(data_begin_ <= bytes,
          "safetensors: '{}' has {} bytes, its header alone ends at {}. Was it copied to its end?", path, bytes,
          data_begin_);
    std::string header(header_bytes, '\0');
    read_bytes(kLength, std::as_writable_bytes(std::span(header)));
    tensors_ = parse_safetensors_header(path, header, bytes - data_begin_);
  } catch (...) {
    close(descriptor_);
    throw;
  }
}

SafetensorsFile::SafetensorsFile(SafetensorsFile&& other) noexcept
    : path_(std::move(other.path_)),
      descriptor_(std::exchange(other.descriptor_, -1)),
      data_begin_(other.data_begin_),
      tensors_(std::move(other.tensors_)) {}

SafetensorsFile::~SafetensorsFile() {
  if (descriptor_ >= 0) close(descriptor_);
}

const StoredTensor* SafetensorsFile::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(tensors_, name, {}, &StoredTensor::name);
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

void SafetensorsFile::read_bytes(std::int64_t position, std::span<std::byte> bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = pread(descriptor_, bytes.data(), bytes.size(), position);
    if (count < 0 && errno == EINTR) continue;
    const int error = errno;
    check(count >= 0, "safetensors: '{}' cannot be read: {}", path_, std::strerror(error));
    check(count > 0, "safetensors: '{}' ends at byte {}. Does somebody write to it?", path_, position);
    bytes = bytes.subspan(static_cast<std::size_t>(count));
    position += count;
  }
}

void SafetensorsFile::read(const StoredTensor& tensor, std::span<float> values) const {
  const std::optional<StoredType> type = find_stored_type(tensor.dtype);
  check(type.has_value(), "safetensors: '{}' tensor '{}' is {}, expected F32, F16 or BF16", path_, tensor.name,
        to_string(tensor));
  ensure(tensor.end - tensor.begin == static_cast<std::int64_t>(values.size()) * size_of(*type),
         "safetensors: {} values for '{}' {}", values.size(), tensor.name, to_string(tensor));
  std::int64_t position = data_begin_ + tensor.begin;
  if (*type == StoredType::f32) return read_bytes(position, std::as_writable_bytes(values));
  std::vector<std::uint16_t> piece(std::min(kPieceElements, values.size()));
  while (!values.empty()) {
    piece.resize(std::min(piece.size(), values.size()));
    read_bytes(position, std::as_writable_bytes(std::span(piece)));
    if (*type == StoredType::f16) {
      std::ranges::transform(piece, values.begin(), [](std::uint16_t bits) { return to_float(float16{bits}); });
    } else {
      std::ranges::transform(piece, values.begin(),
                             [](std::uint16_t bits) { return phasor::to_float(bfloat16{bits}); });
    }
    values = values.subspan(piece.size());
    position += static_cast<std::int64_t>(piece.size() * sizeof(std::uint16_t));
  }
}

}  // namespace phasor::io
