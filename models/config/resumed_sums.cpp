#include "models/config/resumed_sums.h"

#include <fmt/format.h>

#include "engine/base/error.h"
#include "models/config/config_file.h"
#include "models/config/resolved_run.h"

namespace phasor::run {

namespace {

// How a global batch is divided, of which the order of its sums follows: of the micro-batches alone if `reproducible`.
struct Division {
  bool reproducible = false;
  std::int64_t replicas = 1, accumulation = 1, micro_batch_size = 1;
  bool packs = false;

  bool sums_like(const Division& other) const {
    if (reproducible != other.reproducible || micro_batch_size != other.micro_batch_size || packs != other.packs) {
      return false;
    }
    return reproducible || (replicas == other.replicas && accumulation == other.accumulation);
  }
  std::string text(bool tells_packing) const {
    const char* const packing = !tells_packing ? "" : packs ? ", packed" : ", not packed";
    return fmt::format("{} × {} micro-batches of {}{}{}", replicas, accumulation, micro_batch_size, packing,
                       reproducible ? ", reproducible" : "");
  }
};

Division division_of(const RunConfig& config) {
  const ResolvedRun run = settle_defaults(config);
  return {.reproducible = run.execution.reproducible,
          .replicas = run.execution.replicas,
          .accumulation = run.execution.accumulation,
          .micro_batch_size = run.micro_batch_size,
          .packs = run.packs()};
}

}  // namespace

std::string change_of_sums(const std::string& path, const std::string& yaml, const RunConfig& now) {
  Division before;
  try {
    RunConfig saved = now;
    apply_yaml(saved, yaml, fmt::format("'{}'", path));
    before = division_of(saved);
  } catch (const UserError&) {
    return "";
  }
  const Division after = division_of(now);
  if (after.sums_like(before)) return "";
  return fmt::format(
      "checkpoint: '{}' goes on with {} instead of {} (replicas × micro-batches): gradients are summed in another "
      "order, so the run will not end with the bits of one without interruption{}",
      path, after.text(after.packs != before.packs), before.text(after.packs != before.packs),
      before.reproducible ? "" : ". With execution.reproducible from the start replicas would not show");
}

}  // namespace phasor::run
