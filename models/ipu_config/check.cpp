// What the fields of an IPUConfig must be to each other.
#include <algorithm>

#include "models/ipu_config/mistakes.h"

namespace phasor::ipu {

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
