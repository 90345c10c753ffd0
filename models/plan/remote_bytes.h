// What a training run keeps in remote memory, for people who ask where it goes.
#pragma once

#include <array>
#include <numeric>
#include <string_view>

#include "engine/program/pipeline.h"
#include "models/config/resolved_run.h"

namespace phasor::run {

// `masters`: float32 weights beside those that the model reads in another type. `batch`: also the numbers of the step.
// `activations` and their gradients: what passes from stage to stage, a row for each and micro-batch.
enum class RemoteContent : std::uint8_t {
  weights,
  masters,
  moments,
  gradients,
  activations,
  activation_gradients,
  kept_activations,
  batch
};
inline constexpr std::size_t kRemoteContents = 8;
// In the order of the enumeration.
inline constexpr std::array<std::string_view, kRemoteContents> kRemoteContentNames{
    "weights",     "master weights",  "moments",          "gradients, until clipped",
    "activations", "their gradients", "kept activations", "batch"};

using RemoteBytes = std::array<std::int64_t, kRemoteContents>;

inline std::int64_t total(const RemoteBytes& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), std::int64_t{0});
}

// Of all replicas together. Exact for any number of layers and micro-batches, from the programs of few.
RemoteBytes remote_bytes(const ResolvedRun& run);
// The same where the programs of small_run(run) are there already.
RemoteBytes remote_bytes(const ResolvedRun& run, const Pipeline& small_programs);

}  // namespace phasor::run
