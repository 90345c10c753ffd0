#include "models/machine/rates_file.h"

#include <charconv>
#include <yaml-cpp/yaml.h>

#include "engine/base/byte_size.h"
#include "engine/base/error.h"

namespace phasor::run {

namespace {

class MachineFile {
 public:
  explicit MachineFile(const std::string& path) : path_(path) {}

  Rates read() {
    YAML::Node root;
    try {
      root = YAML::LoadFile(path_);
    } catch (const YAML::Exception& error) {
      throw UserError(fmt::format("machine '{}' cannot be read: {}", path_, error.what()));
    }
    check(root.IsMap(),
          "machine '{}' is no list of keys and values; expected flops, memory, remote, link or collective", path_);
    Rates rates;
    for (const auto& item : root) {
      const auto key = item.first.as<std::string>();
      if (key == "flops") {
        rates.product_flops_per_second = number(key, item.second);
      } else if (key == "memory") {
        rates.memory_bytes_per_second = rates.clear.bytes_per_second = bytes(key, item.second);
      } else if (key == "remote") {
        rates.load = rates.store = link(key, item.second);
      } else if (key == "link") {
        rates.message = link(key, item.second);
      } else if (key == "collective") {
        rates.gather = rates.reduce_scatter = rates.all_reduce = link(key, item.second);
      } else {
        unknown(key);
      }
    }
    return rates;
  }

 private:
  [[noreturn]] void unknown(const std::string& key) const {
    throw UserError(fmt::format(
        "machine '{}': key '{}' is unknown; expected flops, memory, remote, link or collective, and of the last three "
        "bandwidth and latency",
        path_, key));
  }

  double number(const std::string& key, const YAML::Node& node) const {
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    double value = -1;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    check(result.ec == std::errc{} && result.ptr == text.data() + text.size() && value >= 0,
          "machine '{}': {} '{}' is not a number that can be a rate", path_, key, text);
    return value;
  }
  double bytes(const std::string& key, const YAML::Node& node) const {
    const std::string text = node.IsScalar() ? node.Scalar() : "";
    const auto size = parse_byte_size(text);
    check(size.has_value(), "machine '{}': {} '{}' is not a number of bytes; expected one as in 24GiB", path_, key,
          text);
    return static_cast<double>(size->bytes);
  }
  LinkRate link(const std::string& key, const YAML::Node& node) const {
    check(node.IsMap(), "machine '{}': {} has no keys; expected bandwidth and latency", path_, key);
    LinkRate rate;
    for (const auto& item : node) {
      const auto part = item.first.as<std::string>();
      const std::string name = key + "." + part;
      if (part == "bandwidth") {
        rate.bytes_per_second = bytes(name, item.second);
      } else if (part == "latency") {
        rate.latency_seconds = number(name, item.second);
      } else {
        unknown(name);
      }
    }
    return rate;
  }

  std::string path_;
};

}  // namespace

Rates read_machine(const std::string& path) { return MachineFile(path).read(); }

}  // namespace phasor::run
