#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "io/json_text.h"
#include "io/safetensors.h"

namespace phasor::io {

namespace {

struct FormatType {
  std::string_view name;
  std::int64_t bytes;
};
constexpr FormatType kFormatTypes[] = {{"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"F8_E5M2", 1}, {"F8_E4M3", 1},
                                       {"I16", 2},  {"U16", 2}, {"F16", 2}, {"BF16", 2},    {"I32", 4},
                                       {"U32", 4},  {"F32", 4}, {"F64", 8}, {"I64", 8},     {"U64", 8}};

// Follows the header's events, so that what a header can ask for is no more memory than its own text.
class HeaderReader final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit HeaderReader(const std::string& path) : path_(path) {}

  std::vector<StoredTensor> take() { return std::move(tensors_); }

  bool start_object(std::size_t) override {
    if (place_ == Place::document) {
      place_ = Place::names;
    } else if (place_ == Place::names && key_ == "__metadata__") {
      place_ = Place::metadata;
    } else if (place_ == Place::names) {
      place_ = Place::fields;
      tensors_.push_back({.name = key_});
      seen_ = {};
    } else {
      refuse("an object");
    }
    return true;
  }

  bool end_object() override {
    if (place_ == Place::fields) {
      for (std::size_t i = 0; i < seen_.size(); ++i) {
        check(seen_[i], "safetensors: '{}' tensor '{}' has no {}", path_, shown(tensors_.back().name), kFields[i]);
      }
    }
    place_ = Place::names;  // nothing but the end may follow the outermost object
    return true;
  }

  bool key(std::string& text) override {
    if (place_ == Place::fields) {
      const auto field = std::ranges::find(kFields, text);
      check(field != std::end(kFields), "safetensors: '{}' tensor '{}' has a field '{}', which the format does not",
            path_, shown(tensors_.back().name), shown(text));
      bool& seen = seen_[static_cast<std::size_t>(field - std::begin(kFields))];
      check(!seen, "safetensors: '{}' tensor '{}' has {} twice", path_, shown(tensors_.back().name), text);
      seen = true;
    }
    if (place_ == Place::names && text == "__metadata__") {
      check(!metadata_, "safetensors: '{}' has its __metadata__ twice", path_);
      metadata_ = true;
    }
    key_ = std::move(text);
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::fields || key_ == "dtype") refuse("a list");
    place_ = Place::list;
    numbers_.clear();
    return true;
  }

  bool end_array() override {
    place_ = Place::fields;
    if (key_ == "shape") {
      tensors_.back().shape = numbers_;
    } else {
      check(numbers_.size() == 2, "safetensors: '{}' tensor '{}' has {} data_offsets, expected 2", path_,
            shown(tensors_.back().name), numbers_.size());
      tensors_.back().begin = numbers_[0];
      tensors_.back().end = numbers_[1];
    }
    return true;
  }

  bool number_unsigned(number_unsigned_t value) override {
    constexpr auto kLargest = static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max());
    if (place_ != Place::list || value > kLargest) refuse(fmt::format("{}", value));
    numbers_.push_back(static_cast<std::int64_t>(value));
    return true;
  }

  bool string(std::string& text) override {
    if (place_ == Place::fields && key_ == "dtype") {
      tensors_.back().dtype = text;
    } else if (place_ != Place::metadata) {
      refuse("a string");
    }
    return true;
  }

  bool number_integer(number_integer_t value) override { return refuse(fmt::format("{}", value)); }
  bool number_float(number_float_t, const std::string& text) override { return refuse(shown(text)); }
  bool boolean(bool) override { return refuse("true or false"); }
  bool null() override { return refuse("null"); }
  bool binary(nlohmann::json::binary_t&) override { return refuse("bytes"); }

  bool parse_error(std::size_t byte, const std::string&, const nlohmann::json::exception&) override {
    return refuse_byte(byte == 0 ? 0 : byte - 1);
  }

  // Always throws: the header is not JSON there.
  bool refuse_byte(std::size_t byte) const {
    throw UserError(fmt::format("safetensors: '{}' has a header that is not JSON at its byte {}. Is the file damaged?",
                                path_, byte));
  }

 private:
  enum class Place : std::uint8_t { document, names, metadata, fields, list };
  static constexpr std::array<std::string_view, 3> kFields{"dtype", "shape", "data_offsets"};

  // Always throws: what was found is not what may stand here.
  bool refuse(const std::string& found) const {
    const std::string_view expected = place_ == Place::document                      ? "an object"
                                      : place_ == Place::names                       ? "an object"
                                      : place_ == Place::metadata || key_ == "dtype" ? "a string"
                                      : place_ == Place::list                        ? "a whole number"
                                                                                     : "a list";
    const std::string name = place_ == Place::document ? "its header"
                             : place_ == Place::names || place_ == Place::metadata
                                 ? fmt::format("'{}'", shown(key_))
                                 : fmt::format("{} of '{}'", key_, shown(tensors_.back().name));
    throw UserError(fmt::format("safetensors: '{}' has {} for {}, expected {}", path_, found, name, expected));
  }

  const std::string& path_;
  Place place_ = Place::document;
  std::string key_;
  bool metadata_ = false;       // whether it came
  std::array<bool, 3> seen_{};  // fields of the last tensor
  std::vector<std::int64_t> numbers_;
  std::vector<StoredTensor> tensors_;
};

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
  check(header.starts_with('{'), "safetensors: '{}' has a header that does not begin with '{{'. Is it this format?",
        path);
  HeaderReader reader(path);
  // The parser takes a zero byte for the end and would not look behind it.
  if (const std::size_t zero = header.find('\0'); zero != header.npos) reader.refuse_byte(zero);
  nlohmann::json::sax_parse(header, &reader);
  std::vector<StoredTensor> tensors = reader.take();
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
