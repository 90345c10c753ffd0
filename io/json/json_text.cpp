#include "io/json/json_text.h"

#include <algorithm>

#include "engine/base/error.h"
#include "io/text/utf8.h"

namespace phasor::io {

using nlohmann::json;

std::string_view json_kind(const json& value) {
  switch (value.type()) {
    case json::value_t::object:
      return "an object";
    case json::value_t::array:
      return "a list";
    case json::value_t::string:
      return "a string";
    case json::value_t::boolean:
      return "true or false";
    case json::value_t::number_integer:
    case json::value_t::number_unsigned:
      return "a whole number";
    case json::value_t::number_float:
      return "a number with a fraction";
    default:
      return "null";
  }
}

const json& json_at(const json& document, std::initializer_list<const char*> keys) {
  static const json kNull;
  const json* value = &document;
  for (const char* key : keys) {
    if (!value->is_object() || !value->contains(key)) return kNull;
    value = &(*value)[key];
  }
  return *value;
}

std::string shown(std::string_view text) {
  constexpr std::int64_t kCharacters = 40;
  std::string line(slice_code_points(text, 0, kCharacters));
  if (line.size() < text.size()) line += "…";
  for (char& byte : line) byte = static_cast<unsigned char>(byte) < ' ' ? ' ' : byte;
  return line;
}

namespace {

// What looks at a value calls itself for the values inside: a deeper document could end the stack. Files that people
// hand in are less than ten deep.
constexpr std::size_t kDeepestJson = 256;

// How many lists and objects are inside each other where there are most.
std::size_t depth_of(std::string_view text) {
  std::size_t depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    if (byte == '"') {
      in_string = !in_string;
    } else if (in_string) {
      if (byte == '\\') ++i;  // the next byte ends no string
    } else if (byte == '[' || byte == '{') {
      deepest = std::max(deepest, ++depth);
    } else if ((byte == ']' || byte == '}') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

// Walks over bytes and tells so now and then.
class WatchedByte {
 public:
  static constexpr std::ptrdiff_t kKibibytes = 64;  // after which it speaks

  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  WatchedByte(const char* at, Progress* progress) : at_(at), told_(at), progress_(progress) {}

  reference operator*() const { return *at_; }
  WatchedByte& operator++() {
    if (++at_ - told_ == 1024 * kKibibytes) {
      progress_->advance(kKibibytes);
      told_ = at_;
    }
    return *this;
  }
  friend bool operator==(const WatchedByte& a, const WatchedByte& b) { return a.at_ == b.at_; }

 private:
  const char *at_, *told_;
  Progress* progress_;
};

json parse(const std::string& bytes, Progress* progress) {
  if (progress == nullptr) return json::parse(bytes);
  json document = json::parse(WatchedByte(bytes.data(), progress), WatchedByte(bytes.data() + bytes.size(), progress));
  progress->advance(std::ssize(bytes) / 1024 % WatchedByte::kKibibytes);
  return document;
}

}  // namespace

json parse_json(std::string_view subject, const std::string& path, const std::string& bytes, std::string_view kind,
                Progress* progress) {
  check(!bytes.empty(), "{}: '{}' is empty, expected a {} JSON file", subject, path, kind);
  const std::size_t depth = depth_of(bytes);
  check(depth <= kDeepestJson, "{}: '{}' has lists and objects {} deep inside each other, expected at most {}", subject,
        path, depth, kDeepestJson);
  try {
    return parse(bytes, progress);
  } catch (const json::parse_error& error) {
    const std::size_t byte = std::min(error.byte == 0 ? 0 : error.byte - 1, bytes.size());
    const std::string_view before = std::string_view(bytes).substr(0, byte);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    const std::size_t column = byte - (before.rfind('\n') == before.npos ? 0 : before.rfind('\n') + 1) + 1;
    const std::string place = fmt::format("line {}, column {} (byte {})", line, column, byte);
    const std::size_t invalid = find_invalid_utf8(bytes);
    check(byte < bytes.size(), "{}: '{}' ends inside a JSON value at {}. Was it copied to its end?", subject, path,
          place);
    check(invalid == bytes.size(), "{}: '{}' is not valid UTF-8 at byte {}", subject, path, invalid);
    throw UserError(fmt::format("{}: '{}' is not valid JSON at {}. Is this a {} file?", subject, path, place, kind));
  } catch (const json::out_of_range&) {
    throw UserError(
        fmt::format("{}: '{}' holds a number too large for JSON readers. Is this a {} file?", subject, path, kind));
  }
}

}  // namespace phasor::io
