#include "models/machine/rates_cache.h"

#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <xxhash.h>

#include "engine/base/error.h"
#include "io/files/atomic_file.h"
#include "models/machine/facts.h"

namespace phasor::run {

namespace {

// Counts up whenever rates mean something else.
constexpr int kRatesFormat = 2;

// Calls part(name, rate) for each of the links.
template <class AnyRates, class Part>
void for_each_link(AnyRates& rates, Part part) {
  part("clear", rates.clear);
  part("load", rates.load);
  part("store", rates.store);
  part("gather", rates.gather);
  part("reduce_scatter", rates.reduce_scatter);
  part("all_reduce", rates.all_reduce);
}

nlohmann::json json_of(const LinkRate& link) {
  nlohmann::json measured = nlohmann::json::array();
  for (const TimedBytes& timed : link.measured) measured.push_back({timed.bytes, timed.seconds});
  return {{"latency_seconds", link.latency_seconds},
          {"bytes_per_second", link.bytes_per_second},
          {"measured", measured},
          {"cores", link.cores}};
}

LinkRate link_of(const nlohmann::json& json) {
  LinkRate link{.latency_seconds = json.at("latency_seconds").get<double>(),
                .bytes_per_second = json.at("bytes_per_second").get<double>(),
                .cores = json.at("cores").get<double>()};
  for (const nlohmann::json& timed : json.at("measured")) {
    link.measured.push_back({.bytes = timed.at(0).get<double>(), .seconds = timed.at(1).get<double>()});
  }
  return link;
}

}  // namespace

std::string rates_path(const std::string& directory, const RatesKey& key) {
  if (directory.empty()) return {};
  const std::string text =
      fmt::format("format {} machine {} versions {} replicas {} transfers {}", kRatesFormat,
                  machine_facts(key.threads_per_replica).dump(), version_facts().dump(), key.replicas, key.transfers);
  return fmt::format("{}/rates-{:016x}.json", directory, XXH3_64bits(text.data(), text.size()));
}

Rates read_rates(const std::string& path) {
  Rates rates;
  std::ifstream file(path);
  if (path.empty() || !file.good()) return rates;
  try {
    const nlohmann::json json = nlohmann::json::parse(file);
    for (const auto& [name, rate] : json.at("nodes").items()) rates.nodes[name] = rate.get<double>();
    for_each_link(rates, [&](const char* name, LinkRate& link) { link = link_of(json.at("links").at(name)); });
  } catch (const nlohmann::json::exception&) {
    return {};
  }
  return rates;
}

void keep_rates(const std::string& path, const Rates& rates) {
  if (path.empty()) return;
  nlohmann::json json{{"nodes", rates.nodes}};
  for_each_link(rates, [&](const char* name, const LinkRate& link) { json["links"][name] = json_of(link); });
  std::error_code error;  // what cannot be made here cannot be written below either
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  try {
    io::write_atomically(path, [&](const std::string& temporary) { std::ofstream(temporary) << json.dump(1) << '\n'; });
  } catch (const UserError&) {  // the next prediction measures again
  }
}

}  // namespace phasor::run
