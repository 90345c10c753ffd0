#include "models/ipu_config/ipu_config.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "io/files/atomic_file.h"
#include "io/files/text_file.h"
#include "models/ipu_config/mistakes.h"

namespace phasor::ipu {

namespace {

// What a file may say of itself besides the fields.
bool is_remark(const std::string& name) {
  return name == "transformers_version" || name == "optimum_version" || name == "profile_dir";
}

// As files of optimum-graphcore up to 0.6 have it: {"pod4": 1, "pod16": 4, "default": 1}.
bool is_for_each_machine(const Json& value) {
  const auto names_machine = [](const auto& item) { return item.key() == "default" || item.key().starts_with("pod"); };
  const auto items = value.items();
  return value.is_object() && !value.empty() && std::all_of(items.begin(), items.end(), names_machine);
}

// Deeper than any of its files, and no deeper than a stack can follow.
Json parse_document(const std::string& json) {
  static constexpr int kDeepest = 64;
  const Json::parser_callback_t shallow = [](int depth, Json::parse_event_t, Json&) {
    phasor::check(depth <= kDeepest, "ipu_config: values lie in more than {} others", kDeepest);
    return true;
  };
  return Json::parse(json, shallow, false);
}

}  // namespace

IpuConfig::IpuConfig() : values_(Json::object()) {
  for (const Field& field : fields()) values_[std::string(field.name)] = Json::parse(field.standard);
}

IpuConfig IpuConfig::read(const std::string& path) {
  const std::string file = std::filesystem::is_directory(path) ? path + "/ipu_config.json" : path;
  try {
    return parse(io::read_file("ipu_config", file));
  } catch (const TypeMistake& mistake) {
    throw TypeMistake(fmt::format("'{}': {}", file, mistake.what()));
  } catch (const Incompatible& mistake) {
    throw Incompatible(fmt::format("'{}': {}", file, mistake.what()));
  }
}

IpuConfig IpuConfig::parse(const std::string& json) {
  const Json document = parse_document(json);
  phasor::check(document.is_object(), "ipu_config: this is no JSON object of an IPUConfig's fields");
  IpuConfig config;
  std::string unknown;
  for (const auto& [name, value] : document.items()) {
    if (is_remark(name)) {
      config.values_[name] = value;
    } else if (find_field(name) != nullptr) {
      config.set(name, value);
    } else {
      const std::string quoted = one_line(name);
      unknown +=
          fmt::format("{}{} = {}", unknown.empty() ? "" : ", ", quoted.substr(1, quoted.size() - 2), one_line(value));
    }
  }
  compatible(unknown.empty(), "ipu_config: an IPUConfig has no such fields: {}", unknown);
  config.check();
  return config;
}

std::string IpuConfig::to_json() const { return values_.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

void IpuConfig::save(const std::string& folder) const {
  std::filesystem::create_directories(folder);
  io::write_atomically(folder + "/ipu_config.json", [&](const std::string& temporary) {
    const std::string text = to_json();
    std::FILE* file = std::fopen(temporary.c_str(), "wb");
    const bool written = file != nullptr && std::fwrite(text.data(), 1, text.size(), file) == text.size();
    const bool closed = file != nullptr && std::fclose(file) == 0;
    phasor::check(written && closed, "ipu_config: '{}' cannot be written", temporary);
  });
}

void IpuConfig::set(const std::string& name, const Json& value) {
  const Field* field = find_field(name);
  compatible(field != nullptr, "ipu_config: an IPUConfig has no field '{}'", name);
  if (!is_of_kind(*field, value)) {
    throw TypeMistake(fmt::format("ipu_config: {} is {}, expected {}{}", name, one_line(value), kind_text(*field),
                                  is_for_each_machine(value) ? ". Choose the one for your machine" : ""));
  }
  const double most = name.ends_with("ipus_per_replica") ? 1 << 16 : std::numeric_limits<std::int32_t>::max();
  const auto in_range = [&](const Json& number) {
    return number.get<double>() >= field->least && number.get<double>() <= most;
  };
  const bool fits =
      !field->bounded || value.is_null() || (value.is_array() ? std::ranges::all_of(value, in_range) : in_range(value));
  phasor::check(fits, "ipu_config: {} is {}, expected {} or more, and {} at most", name, value.dump(), field->least,
                most);
  if (name == "output_mode") {
    const auto mode = value.get<std::string>();
    phasor::check(mode == "all" || mode == "sum" || mode == "final" || mode == "default",
                  "ipu_config: output_mode {} is unknown; expected all, sum, final or default", one_line(value));
  }
  values_[name] = value;
}

const Json& IpuConfig::get(const std::string& name) const {
  compatible(find_field(name) != nullptr, "ipu_config: an IPUConfig has no field '{}'", name);
  return values_.at(name);
}

const Json& IpuConfig::get(const std::string& name, Use use) const {
  const std::string own = field_of(name, use);
  if (find_field(own) != nullptr && !get(own).is_null()) return get(own);
  // Of these a run for inference has a rule of its own: none is 1, or none.
  static const Json kNone;
  const bool own_rule =
      name.ends_with("_serialization_factor") || name.starts_with("serialized_") || name == "parallelize_kwargs";
  return use == Use::inference && own_rule && find_field(own) != nullptr ? kNone : get(name);
}

}  // namespace phasor::ipu
