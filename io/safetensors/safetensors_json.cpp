#include "io/safetensors/safetensors_json.h"

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "io/json/json_text.h"

namespace phasor::io {

namespace {

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

}  // namespace

std::vector<StoredTensor> read_safetensors_json(const std::string& path, std::string_view header) {
  check(header.starts_with('{'), "safetensors: '{}' has a header that does not begin with '{{'. Is it this format?",
        path);
  HeaderReader reader(path);
  // The parser takes a zero byte for the end and would not look behind it.
  if (const std::size_t zero = header.find('\0'); zero != header.npos) reader.refuse_byte(zero);
  nlohmann::json::sax_parse(header, &reader);
  return reader.take();
}

}  // namespace phasor::io
