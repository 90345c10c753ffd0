// What follows from an IPUConfig: how many IPUs, where the layers are, how much a call takes.
#include <algorithm>
#include <numeric>

#include "models/ipu_config/mistakes.h"

namespace phasor::ipu {

std::int64_t IpuConfig::ipus_per_replica(Use use) const {
  const Json& given = get(field_of("ipus_per_replica", use));
  if (!given.is_null()) return given.get<std::int64_t>();
  const auto of_list = static_cast<std::int64_t>(get("layers_per_ipu", use).size());
  if (use == Use::training) return of_list;
  const bool follows = ipus_per_replica(Use::training) == static_cast<std::int64_t>(get("layers_per_ipu").size());
  return follows ? of_list : ipus_per_replica(Use::training);
}

std::vector<int> IpuConfig::layer_ipus(int layers, Use use) const {
  constexpr int kMostLayers = 1'000'000;
  phasor::check(layers >= 0 && layers <= kMostLayers, "ipu_config: a model of {} layers, expected 0 to {}", layers,
                kMostLayers);
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

}  // namespace phasor::ipu
