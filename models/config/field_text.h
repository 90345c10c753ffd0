// A configuration field as text and back.
#pragma once

#include <fmt/ranges.h>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/config/run_config.h"
#include "models/fields/alternatives.h"

namespace phasor::run {

// Each returns whether `text` is such a value, and sets it only then.
bool parse_field(const std::string& text, std::string& value);
bool parse_field(const std::string& text, bool& value);
bool parse_field(const std::string& text, int& value);
bool parse_field(const std::string& text, std::int64_t& value);
bool parse_field(const std::string& text, float& value);
bool parse_field(const std::string& text, double& value);
bool parse_field(const std::string& text, ByteSize& value);
bool parse_field(const std::string& text, Mode& value);
bool parse_field(const std::string& text, std::optional<bool>& value);
bool parse_field(const std::string& text, std::optional<Recompute>& value);
bool parse_field(const std::string& text, Precision& value);
bool parse_field(const std::string& text, Products& value);
bool parse_field(const std::string& text, Schedule::Function& value);
bool parse_field(const std::string& text, PipelineSchedule& value);
template <class... Alternatives>
bool parse_field(const std::string& text, std::variant<Alternatives...>& value) {
  return fields::choose(value, text);
}

std::string field_text(const std::string& value);
std::string field_text(bool value);
std::string field_text(int value);
std::string field_text(std::int64_t value);
std::string field_text(float value);  // the shortest text that reads back to the same bits
std::string field_text(double value);
std::string field_text(ByteSize value);
std::string field_text(Mode value);
std::string field_text(std::optional<bool> value);
std::string field_text(std::optional<Recompute> value);
std::string field_text(Precision value);
std::string field_text(Products value);
std::string field_text(Schedule::Function value);
std::string field_text(PipelineSchedule value);
template <class... Alternatives>
std::string field_text(const std::variant<Alternatives...>& value) {
  return fields::name_of(value);
}

// All values of that kind as text, or none where they are many.
std::vector<std::string> field_choices(bool value);
std::vector<std::string> field_choices(Mode value);
std::vector<std::string> field_choices(std::optional<bool> value);
std::vector<std::string> field_choices(std::optional<Recompute> value);
std::vector<std::string> field_choices(Precision value);
std::vector<std::string> field_choices(Products value);
std::vector<std::string> field_choices(Schedule::Function value);
std::vector<std::string> field_choices(PipelineSchedule value);
template <class... Alternatives>
std::vector<std::string> field_choices(const std::variant<Alternatives...>& value) {
  return fields::names_of_all(value);
}
template <class Field>
std::vector<std::string> field_choices(const Field&) {
  return {};
}

// What a value of that kind looks like: "a whole number"; where `text` is one too large or too small, "a whole number
// from 0 to 9".
std::string expected_field(int value, const std::string& text);
std::string expected_field(std::int64_t value, const std::string& text);
std::string expected_field(float value, const std::string& text);
std::string expected_field(double value, const std::string& text);
inline std::string expected_field(const std::string&, const std::string&) { return "text"; }
inline std::string expected_field(bool, const std::string&) { return "true or false"; }
inline std::string expected_field(std::optional<bool>, const std::string&) { return "auto, true or false"; }
inline std::string expected_field(ByteSize, const std::string&) { return "a size as in 512MiB"; }
inline std::string expected_field(Mode, const std::string&) { return "phased or monolithic"; }
inline std::string expected_field(std::optional<Recompute>, const std::string&) { return "auto, layer or none"; }
inline std::string expected_field(Precision, const std::string&) { return "float32 or bfloat16"; }
inline std::string expected_field(Products, const std::string&) { return "auto, onednn, openblas, blis or eigen"; }
inline std::string expected_field(PipelineSchedule, const std::string&) {
  return "sequential, gpipe, 1f1b or interleaved";
}
inline std::string expected_field(Schedule::Function, const std::string&) {
  return "linear, constant, cosine or polynomial";
}
template <class... Alternatives>
std::string expected_field(const std::variant<Alternatives...>& value, const std::string&) {
  return fmt::format("{}", fmt::join(fields::names_of_all(value), " or "));
}

}  // namespace phasor::run
