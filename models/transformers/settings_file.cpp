#include "models/transformers/settings_file.h"

#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "io/json/json_text.h"

namespace phasor::transformers {

namespace {

using nlohmann::json;

constexpr std::int64_t kLargestSize = 1 << 24;  // sizes whose products are far from overflowing

}  // namespace

SettingsFile::SettingsFile(const std::string& folder, const char* name, Words words)
    : path_(folder + "/" + name),
      words_(std::move(words)),
      document_(io::parse_json("transformers", path_, io::read_file("transformers", path_), name)) {
  check(document_.is_object(), "transformers: '{}' holds {}, expected an object", path_, io::json_kind(document_));
}

const json& SettingsFile::find(const char* key) const { return io::json_at(document_, {key}); }

std::string SettingsFile::text(const char* key) const {
  const json& value = find(key);
  check(value.is_null() || value.is_string(), "transformers: '{}' has {} {}, expected a string", path_, key,
        io::shown(value.dump()));
  return value.is_null() ? "" : value.get<std::string>();
}

std::int64_t SettingsFile::size(const char* key, const char* other_key) const {
  static const json kNone;
  const json &value = find(key), &other = other_key != nullptr ? find(other_key) : kNone;
  check(!value.is_null() || !other.is_null(), "transformers: '{}' has no {}. {}", path_, key, words_.missing);
  check(value.is_null() || other.is_null() || value == other,
        "transformers: '{}' has {} {} and {} {}, two names of one size", path_, key, io::shown(value.dump()),
        other_key == nullptr ? "" : other_key, io::shown(other.dump()));
  return value.is_null() ? checked_size(other_key, other) : checked_size(key, value);
}

std::int64_t SettingsFile::size_or(std::int64_t usual, const char* key) const {
  const json& value = find(key);
  return value.is_null() ? usual : checked_size(key, value);
}

std::int64_t SettingsFile::checked_size(const char* key, const json& value) const {
  check(value.is_number_integer() && value >= 1 && value <= kLargestSize,
        "transformers: '{}' has {} {}, expected a whole number from 1 to {}", path_, key, io::shown(value.dump()),
        kLargestSize);
  return value.get<std::int64_t>();
}

float SettingsFile::real_or(float usual, const char* key) const {
  const json& value = find(key);
  if (value.is_null()) return usual;
  check(value.is_number(), "transformers: '{}' has {} {}, expected a number", path_, key, io::shown(value.dump()));
  return static_cast<float>(value.get<double>());
}

void SettingsFile::expect(const char* key, const json& only) const {
  const json& value = find(key);
  check(value.is_null() || value == only, "transformers: '{}' has {} {}, expected {}: {}", path_, key,
        io::shown(value.dump()), only.dump(), words_.only);
}

}  // namespace phasor::transformers
