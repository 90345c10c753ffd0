#include "io/json/json_object.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <unordered_map>

#include "engine/base/error.h"
#include "io/files/atomic_file.h"
#include "io/files/text_file.h"
#include "io/text/utf8.h"

namespace phasor::io {

namespace {

using JsonValue = nlohmann::json;

// Takes the parser's events; a member of another kind than Value ends the parsing with a UserError.
template <class Value>
class MemberReader : public nlohmann::json_sax<JsonValue> {
 public:
  MemberReader(std::string_view subject, const std::string& path, std::size_t bytes)
      : subject_(subject), path_(path), bytes_(bytes) {}

  JsonMembers<Value> take() { return std::move(members_); }

  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("true or false"); }
  bool number_integer(number_integer_t value) override { return number(static_cast<double>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return number(static_cast<double>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool string(string_t& value) override {
    if constexpr (std::is_same_v<Value, std::string>) return put(std::move(value));
    return refuse("a text");
  }
  bool binary(binary_t&) override { return refuse("binary"); }
  bool start_object(std::size_t) override { return depth_++ == 0 || refuse("an object"); }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return refuse("a list"); }
  bool end_array() override { return true; }
  bool key(string_t& value) override {
    key_ = std::move(value);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const JsonValue::exception&) override {
    check(position < bytes_, "{}: '{}' ends inside a JSON value. Was it copied to its end?", subject_, path_);
    throw UserError(fmt::format("{}: '{}' is not valid JSON at byte {}", subject_, path_, position));
  }

 private:
  static constexpr const char* kExpected = std::is_same_v<Value, double> ? "a number" : "a text";

  bool number(double value) {
    if constexpr (std::is_same_v<Value, double>) return put(value);
    return refuse("a number");
  }

  bool put(Value value) {
    if (depth_ == 0) return refuse(kExpected);
    const auto [place, fresh] = places_.emplace(key_, members_.size());
    if (fresh) {
      members_.emplace_back(key_, std::move(value));
    } else {
      members_[place->second].second = std::move(value);
    }
    return true;
  }

  bool refuse(const char* found) const {
    check(depth_ > 0, "{}: '{}' holds {}, expected an object of question ids", subject_, path_, found);
    throw UserError(fmt::format("{}: '{}' has {} for '{}', expected {}", subject_, path_, found, key_, kExpected));
  }

  std::string_view subject_;
  const std::string& path_;
  std::size_t bytes_;
  int depth_ = 0;
  std::string key_;
  JsonMembers<Value> members_;
  std::unordered_map<std::string, std::size_t> places_;
};

template <class Value>
JsonMembers<Value> read_members(std::string_view subject, const std::string& path) {
  const std::string bytes = read_file(subject, path);
  const std::size_t invalid = find_invalid_utf8(bytes);
  check(invalid == bytes.size(), "{}: '{}' is not valid UTF-8 at byte {}", subject, path, invalid);
  MemberReader<Value> reader(subject, path, bytes.size());
  JsonValue::sax_parse(bytes, &reader);
  return reader.take();
}

}  // namespace

JsonMembers<std::string> read_json_texts(std::string_view subject, const std::string& path) {
  return read_members<std::string>(subject, path);
}

JsonMembers<double> read_json_numbers(std::string_view subject, const std::string& path) {
  return read_members<double>(subject, path);
}

std::string json_quote(std::string_view text) { return JsonValue(text).dump(); }

void write_json_members(const std::string& path, const JsonMembers<std::string>& members) {
  write_atomically(path, [&](const std::string& temporary) {
    std::ofstream file(temporary);
    const char* separator = "{\n";
    for (const auto& [key, value] : members) {
      file << separator << "    " << json_quote(key) << ": " << value;
      separator = ",\n";
    }
    file << (members.empty() ? "{}\n" : "\n}\n");
    file.close();
    check(file.good(), "'{}' cannot be written. Is the disk full?", path);
  });
}

}  // namespace phasor::io
