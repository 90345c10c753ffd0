#include "models/ipu_config/ipu_config.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <numeric>

#include "io/files/atomic_file.h"
#include "io/files/text_file.h"

namespace phasor::ipu {

namespace {

// What a file may say of itself besides the fields.
bool is_remark(const std::string& name) {
  return name == "transformers_version" || name == "optimum_version" || name == "profile_dir";
}

std::string one_line(const Json& value) { return value.dump(-1, ' ', true, Json::error_handler_t::replace); }

template <class... Arguments>
void compatible(bool condition, fmt::format_string<Arguments...> message, Arguments&&... arguments) {
  if (!condition) throw Incompatible(fmt::format(message, std::forward<Arguments>(arguments)...));
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\n"), last = text.find_last_not_of(" \t\n");
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

std::string field_of(const std::string& name, Use use) { return use == Use::inference ? "inference_" + name : name; }

bool is_yes(const std::string& text) { return text == "true" || text == "1" || text == "y" || text == "yes"; }
bool is_no(const std::string& text) { return text == "false" || text == "0" || text == "n" || text == "no"; }

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
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

Json parse_number(const std::string& name, const std::string& text) {
  const Json number = Json::parse(text, nullptr, false);
  phasor::check(number.is_number(), "ipu_config: {} '{}' is not a number", name, text);
  return number;
}

// By the type that the field has now.
Json parse_like(const std::string& name, const Json& now, const std::string& text) {
  phasor::check(!now.is_null(), "ipu_config: {} has no value, so that text does not say of which type it is to be",
                name);
  if (now.is_boolean()) {
    const std::string word = lower(text);
    phasor::check(is_yes(word) || is_no(word), "ipu_config: {} '{}' is neither true nor false", name, text);
    return is_yes(word);
  }
  if (now.is_array()) {
    phasor::check(text.size() >= 2 && text.front() == '[' && text.back() == ']',
                  "ipu_config: {} '{}' is no list, as in [1 2]", name, text);
    Json list = Json::array();
    std::string word;
    for (const char c : text.substr(1, text.size() - 2) + " ") {
      if (c != ' ') {
        word += c;
      } else if (!word.empty()) {
        list.push_back(parse_number(name, word));
        word.clear();
      }
    }
    return list;
  }
  if (now.is_number()) return parse_number(name, text);
  if (now.is_string()) return text;
  throw UserError(fmt::format("ipu_config: {} cannot be set from text", name));
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
    throw TypeMistake(fmt::format("ipu_config: {} is {}, expected {}", name, one_line(value), kind_text(*field)));
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

void IpuConfig::update_from_string(const std::string& text) {
  IpuConfig changed = *this;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string part = text.substr(begin, end - begin);
    begin = end + 1;
    if (trimmed(part).empty()) continue;
    const std::size_t equals = part.find('=');
    phasor::check(equals != std::string::npos, "ipu_config: '{}' is no setting, as in name=value", trimmed(part));
    const std::string name = trimmed(part.substr(0, equals));
    compatible(find_field(name) != nullptr, "ipu_config: an IPUConfig has no field '{}'", name);
    changed.set(name, parse_like(name, changed.get(name), trimmed(part.substr(equals + 1))));
  }
  changed.check();
  *this = std::move(changed);
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

std::int64_t IpuConfig::ipus_per_replica(Use use) const {
  const Json& given = get(field_of("ipus_per_replica", use));
  if (!given.is_null()) return given.get<std::int64_t>();
  const auto of_list = static_cast<std::int64_t>(get("layers_per_ipu", use).size());
  if (use == Use::training) return of_list;
  const bool follows = ipus_per_replica(Use::training) == static_cast<std::int64_t>(get("layers_per_ipu").size());
  return follows ? of_list : ipus_per_replica(Use::training);
}

std::vector<int> IpuConfig::layer_ipus(int layers, Use use) const {
  const std::int64_t ipus = ipus_per_replica(use);
  if (ipus == 1) return std::vector<int>(static_cast<std::size_t>(layers), 0);
  auto counts = get("layers_per_ipu", use).get<std::vector<std::int64_t>>();
  if (counts == std::vector<std::int64_t>{-1}) counts.assign(static_cast<std::size_t>(ipus), -1);
  const auto wild = std::ranges::count(counts, -1);
  const std::int64_t fixed = std::accumulate(counts.begin(), counts.end(), std::int64_t{0}) + wild;
  compatible(wild > 0 ? fixed <= layers : fixed == layers, "ipu_config: {} {} has {} layers, the model has {}",
             field_of("layers_per_ipu", use), get("layers_per_ipu", use).dump(), fixed, layers);
  std::int64_t left = layers - fixed, shares = wild;
  for (std::int64_t& count : counts) {
    if (count != -1) continue;
    count = shares == 1 ? left : (layers - fixed) / wild;
    left -= count;
    --shares;
  }
  std::vector<int> ipu_of_layer;
  for (std::size_t ipu = 0; ipu < counts.size(); ++ipu) {
    ipu_of_layer.insert(ipu_of_layer.end(), static_cast<std::size_t>(counts[ipu]), static_cast<int>(ipu));
  }
  return ipu_of_layer;
}

std::int64_t IpuConfig::batch_size_factor(Use use) const {
  double product = 1;
  std::int64_t factor = 1;
  for (const char* name : {"replication_factor", "device_iterations", "gradient_accumulation_steps"}) {
    if (use == Use::inference && find_field(field_of(name, use)) == nullptr) continue;
    const auto count = get(name, use).get<std::int64_t>();
    product *= static_cast<double>(count);
    phasor::check(product < 1e15, "ipu_config: {} {} makes batches that nobody could count", name, count);
    factor *= count;
  }
  return factor;
}

void IpuConfig::check_layers(Use use) const {
  const Json& layers = get("layers_per_ipu", use);
  const std::int64_t ipus = ipus_per_replica(use);
  compatible(layers == Json::array({-1}) || ipus == 1 || static_cast<std::int64_t>(layers.size()) == ipus,
             "ipu_config: {} {} is for {} IPUs, {} is {}", field_of("layers_per_ipu", use), layers.dump(),
             layers.size(), field_of("ipus_per_replica", use), ipus);
}

void IpuConfig::check_splits(const std::string& what, Use use) const {
  const std::string name = field_of("serialized_" + what + "_splits_per_ipu", use);
  const std::string factor = field_of(what + "_serialization_factor", use);
  const Json& splits = get(name);
  if (splits.is_null()) return;
  compatible(get(factor).is_null(), "ipu_config: {} {} and {} {} say the same thing twice. Leave one out", name,
             splits.dump(), factor, get(factor).dump());
  const auto counts = splits.get<std::vector<std::int64_t>>();
  const auto used = [](std::int64_t count) { return count > 0; };
  const auto first = std::ranges::find_if(counts, used);
  phasor::check(first != counts.end(), "ipu_config: {} {} has no split, expected one at least", name, splits.dump());
  const auto end = std::find_if_not(first, counts.end(), used);
  phasor::check(std::none_of(end, counts.end(), used), "ipu_config: {} {} has zeros between splits", name,
                splits.dump());
  const std::int64_t ipus = ipus_per_replica(use);
  compatible(std::ssize(counts) == ipus, "ipu_config: {} {} is for {} IPUs, {} is {}", name, splits.dump(),
             counts.size(), field_of("ipus_per_replica", use), ipus);
}

void IpuConfig::check_matmul(Use use) const {
  const Json& given = get(field_of("matmul_proportion", use));
  if (!given.is_array()) return;
  const std::int64_t ipus = ipus_per_replica(use);
  compatible(static_cast<std::int64_t>(given.size()) == ipus, "ipu_config: {} {} is for {} IPUs, {} is {}",
             field_of("matmul_proportion", use), given.dump(), given.size(), field_of("ipus_per_replica", use), ipus);
}

void IpuConfig::check() const {
  for (const Use use : {Use::training, Use::inference}) {
    check_layers(use);
    check_matmul(use);
    for (const char* what : {"embedding", "projection"}) check_splits(what, use);
  }
}

}  // namespace phasor::ipu
