#include "models/config/field_text.h"

#include <array>
#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace phasor::run {

namespace {

template <class Number>
bool parse_number(const std::string& text, Number& value) {
  Number parsed{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, parsed);
  if (result.ec != std::errc{} || result.ptr != end) return false;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(parsed)) return false;
  }
  value = parsed;
  return true;
}

// With the range, where `text` is a number outside of it.
template <class Number>
std::string expected_number(const char* kind, const std::string& text) {
  Number parsed{};
  const char* end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, parsed);
  if (result.ec != std::errc::result_out_of_range || result.ptr != end) return kind;
  return fmt::format("{} from {} to {}", kind, std::numeric_limits<Number>::lowest(),
                     std::numeric_limits<Number>::max());
}

template <class Enum, std::size_t count>
using Names = std::array<std::pair<const char*, Enum>, count>;

constexpr Names<bool, 2> kBools{{{"true", true}, {"false", false}}};
constexpr Names<std::optional<bool>, 3> kChoices{{{"auto", std::nullopt}, {"true", true}, {"false", false}}};
constexpr Names<Mode, 2> kModes{{{"phased", Mode::phased}, {"monolithic", Mode::monolithic}}};
constexpr Names<std::optional<Recompute>, 3> kRecomputes{
    {{"auto", std::nullopt}, {"layer", Recompute::layer}, {"none", Recompute::none}}};
constexpr Names<Precision, 2> kPrecisions{{{"float32", Precision::float32}, {"bfloat16", Precision::bfloat16}}};
constexpr Names<Products, 5> kProducts{{{"auto", Products::automatic},
                                        {"onednn", Products::onednn},
                                        {"openblas", Products::openblas},
                                        {"blis", Products::blis},
                                        {"eigen", Products::eigen}}};
constexpr Names<Schedule::Function, 4> kFunctions{{{"linear", Schedule::Function::linear},
                                                   {"constant", Schedule::Function::constant},
                                                   {"cosine", Schedule::Function::cosine},
                                                   {"polynomial", Schedule::Function::polynomial}}};

constexpr Names<PipelineSchedule, 4> kPipelineSchedules{{{"sequential", PipelineSchedule::sequential},
                                                         {"gpipe", PipelineSchedule::gpipe},
                                                         {"1f1b", PipelineSchedule::one_f_one_b},
                                                         {"interleaved", PipelineSchedule::interleaved}}};

template <class Enum, std::size_t count>
bool parse_name(const Names<Enum, count>& names, const std::string& text, Enum& value) {
  for (const auto& [name, meaning] : names) {
    if (text != name) continue;
    value = meaning;
    return true;
  }
  return false;
}

template <class Enum, std::size_t count>
std::string name_of_value(const Names<Enum, count>& names, Enum value) {
  for (const auto& [name, meaning] : names) {
    if (meaning == value) return name;
  }
  return names[0].first;
}

template <class Enum, std::size_t count>
std::vector<std::string> all_names(const Names<Enum, count>& names) {
  std::vector<std::string> texts;
  for (const auto& [name, meaning] : names) texts.emplace_back(name);
  return texts;
}

}  // namespace

bool parse_field(const std::string& text, std::string& value) {
  value = text;
  return true;
}
bool parse_field(const std::string& text, bool& value) { return parse_name(kBools, text, value); }
bool parse_field(const std::string& text, int& value) { return parse_number(text, value); }
bool parse_field(const std::string& text, std::int64_t& value) { return parse_number(text, value); }
bool parse_field(const std::string& text, float& value) { return parse_number(text, value); }
bool parse_field(const std::string& text, double& value) { return parse_number(text, value); }
bool parse_field(const std::string& text, ByteSize& value) {
  const auto parsed = parse_byte_size(text);
  if (parsed) value = *parsed;
  return parsed.has_value();
}
bool parse_field(const std::string& text, Mode& value) { return parse_name(kModes, text, value); }
bool parse_field(const std::string& text, std::optional<bool>& value) { return parse_name(kChoices, text, value); }
bool parse_field(const std::string& text, std::optional<Recompute>& value) {
  return parse_name(kRecomputes, text, value);
}
bool parse_field(const std::string& text, Precision& value) { return parse_name(kPrecisions, text, value); }
bool parse_field(const std::string& text, Products& value) { return parse_name(kProducts, text, value); }
bool parse_field(const std::string& text, Schedule::Function& value) { return parse_name(kFunctions, text, value); }
bool parse_field(const std::string& text, PipelineSchedule& value) {
  return parse_name(kPipelineSchedules, text, value);
}

std::string field_text(const std::string& value) { return value; }
std::string field_text(bool value) { return name_of_value(kBools, value); }
std::string field_text(int value) { return fmt::format("{}", value); }
std::string field_text(std::int64_t value) { return fmt::format("{}", value); }
std::string field_text(float value) { return fmt::format("{}", value); }
std::string field_text(double value) { return fmt::format("{}", value); }
std::string field_text(ByteSize value) { return to_string(value); }
std::string field_text(Mode value) { return name_of_value(kModes, value); }
std::string field_text(std::optional<bool> value) { return name_of_value(kChoices, value); }
std::string field_text(std::optional<Recompute> value) { return name_of_value(kRecomputes, value); }
std::string field_text(Precision value) { return name_of_value(kPrecisions, value); }
std::string field_text(Products value) { return name_of_value(kProducts, value); }
std::string field_text(Schedule::Function value) { return name_of_value(kFunctions, value); }
std::string field_text(PipelineSchedule value) { return name_of_value(kPipelineSchedules, value); }

std::vector<std::string> field_choices(bool) { return all_names(kBools); }
std::vector<std::string> field_choices(Mode) { return all_names(kModes); }
std::vector<std::string> field_choices(std::optional<bool>) { return all_names(kChoices); }
std::vector<std::string> field_choices(std::optional<Recompute>) { return all_names(kRecomputes); }
std::vector<std::string> field_choices(Precision) { return all_names(kPrecisions); }
std::vector<std::string> field_choices(Products) { return all_names(kProducts); }
std::vector<std::string> field_choices(Schedule::Function) { return all_names(kFunctions); }
std::vector<std::string> field_choices(PipelineSchedule) { return all_names(kPipelineSchedules); }

std::string expected_field(int, const std::string& text) { return expected_number<int>("a whole number", text); }
std::string expected_field(std::int64_t, const std::string& text) {
  return expected_number<std::int64_t>("a whole number", text);
}
std::string expected_field(float, const std::string& text) { return expected_number<float>("a number", text); }
std::string expected_field(double, const std::string& text) { return expected_number<double>("a number", text); }

}  // namespace phasor::run
