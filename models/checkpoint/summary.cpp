#include "models/checkpoint/summary.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>

namespace phasor::run {

namespace {

std::map<std::string, io::Hdf5Dataset> tensors_of(const io::Hdf5File& file) {
  std::map<std::string, io::Hdf5Dataset> tensors;
  for (StateKind kind : kSavedStates) {
    const std::string folder = fmt::format("/{}", state_info(kind).name);
    if (!file.exists(folder)) continue;
    for (const std::string& name : file.children(folder)) {
      const std::string tensor = fmt::format("{}/{}", folder, name);
      tensors[tensor] = file.dataset(tensor);
    }
  }
  return tensors;
}

std::string dataset_text(const io::Hdf5Dataset& dataset) {
  return fmt::format("{}{}", io::name_of(dataset.type), to_string(dataset.shape));
}

bool same_bits(float x, float y) { return std::bit_cast<std::uint32_t>(x) == std::bit_cast<std::uint32_t>(y); }

void compare_positions(const RunPosition& a, const RunPosition& b, std::vector<Difference>& differences) {
  const auto compare = [&](const char* name, const auto& x, const auto& y) {
    if (x != y) differences.push_back({name, fmt::format("{} and {}", x, y), {}});
  };
  compare("step", a.step, b.step);
  compare("samples", a.samples, b.samples);
  compare("seed", a.seed, b.seed);
  compare("global_batch_size", a.global_batch_size, b.global_batch_size);
  compare("data_samples", a.data_samples, b.data_samples);
  compare("data", a.data, b.data);
  compare("loss_scale", a.loss_scale, b.loss_scale);
}

// Of two tensors of one shape.
std::optional<Difference> compare_tensors(const std::string& name, const std::vector<float>& a,
                                          const std::vector<float>& b) {
  std::size_t different = 0, where = 0;
  double largest = -1;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (same_bits(a[i], b[i])) continue;
    ++different;
    const double apart = std::abs(static_cast<double>(a[i]) - b[i]);
    const double magnitude = std::isnan(apart) ? std::numeric_limits<double>::infinity() : apart;
    if (magnitude <= largest) continue;
    largest = magnitude;
    where = i;
  }
  if (different == 0) return {};
  return Difference{name,
                    fmt::format("{} of {} elements, the largest difference is {:.9g}: element {} is {:.9g} and {:.9g}",
                                different, a.size(), largest, where, a[where], b[where]),
                    largest};
}

}  // namespace

std::vector<TensorSummary> summarise_tensors(const std::string& path) {
  const io::Hdf5File file = open_checkpoint(path);
  std::vector<TensorSummary> summaries;
  for (const auto& [name, dataset] : tensors_of(file)) {
    TensorSummary summary{.name = name, .shape = dataset.shape};
    double squares = 0;
    for (const float x : file.read<float>(name)) {
      squares += static_cast<double>(x) * x;
      summary.largest = std::max(summary.largest, std::abs(static_cast<double>(x)));
      summary.not_finite += std::isfinite(x) ? 0 : 1;
    }
    summary.norm = std::sqrt(squares);
    summaries.push_back(std::move(summary));
  }
  return summaries;
}

std::vector<Difference> compare_checkpoints(const std::string& a, const std::string& b) {
  std::vector<Difference> differences;
  compare_positions(read_position(a), read_position(b), differences);
  const io::Hdf5File first = open_checkpoint(a), second = open_checkpoint(b);
  const auto own = tensors_of(first), other = tensors_of(second);
  for (const auto& [name, dataset] : own) {
    const auto found = other.find(name);
    if (found == other.end()) {
      differences.push_back({name, fmt::format("only '{}' has it", a), {}});
    } else if (dataset_text(dataset) != dataset_text(found->second)) {
      differences.push_back({name, fmt::format("{} and {}", dataset_text(dataset), dataset_text(found->second)), {}});
    } else if (auto difference = compare_tensors(name, first.read<float>(name), second.read<float>(name))) {
      differences.push_back(std::move(*difference));
    }
  }
  for (const auto& [name, dataset] : other) {
    if (!own.contains(name)) differences.push_back({name, fmt::format("only '{}' has it", b), {}});
  }
  return differences;
}

}  // namespace phasor::run
