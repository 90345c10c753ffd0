#include "models/verify/memory_claims.h"

#include <algorithm>
#include <map>
#include <span>

#include "engine/base/byte_size.h"
#include "models/plan/planned_run.h"
#include "models/verify/values/step_value_bytes.h"

namespace phasor::run {

namespace {

struct Claim {
  std::string name;
  std::int64_t host_bytes = 0, file_bytes = 0;
  std::string path;  // of the files
};

Claim claim_of(std::string name, const Resolution& resolution, int times) {
  return {.name = std::move(name),
          .host_bytes = times * (resolution.use.host_bytes() - kProgramBytes),
          .file_bytes = times * resolution.use.file_bytes(),
          .path = resolution.run.store.path};
}

// Of float32: weights, gradients and both moments there; weights and moments here. What PyTorch keeps of activations,
// nobody knows beforehand.
Claim claim_of_transformers(const ResolvedRun& run) {
  constexpr std::int64_t kBytesOfParameter = (4 + 3) * 4;
  return {.name = "transformers, but for activations",
          .host_bytes = kBytesOfParameter * count_parameters(stages_of(run)),
          .path = ""};
}

// The first execution's and, at a time, those of one beside it.
Claim claim_of_values(const PlannedExecutions& planned) {
  std::int64_t most = 0;
  for (const PlannedExecution& other : planned.others) {
    if (other.python.empty()) most = std::max(most, step_value_bytes(other.resolution.run));
  }
  return {.name = "values of a step, of two at a time",
          .host_bytes = step_value_bytes(planned.first.run) + most,
          .path = ""};
}

std::vector<Claim> claims_of(const PlannedExecutions& planned, bool activations) {
  std::vector<Claim> claims{claim_of(planned.name, planned.first, 1)};
  for (const PlannedExecution& other : planned.others) {
    claims.push_back(other.python.empty() ? claim_of(other.name, other.resolution, 1)
                                          : claim_of_transformers(planned.first.run));
    if (other.probes() == 0) continue;
    claims.push_back(
        claim_of(fmt::format("{} more of the first, disturbed", other.probes()), planned.first, other.probes()));
  }
  if (activations) claims.push_back(claim_of_values(planned));
  claims.push_back({.name = "the program", .host_bytes = kProgramBytes, .path = ""});
  return claims;
}

std::string table_of(std::span<const Claim> claims, std::int64_t Claim::*bytes) {
  std::size_t width = 0;
  for (const Claim& claim : claims) width = std::max(width, claim.name.size());
  std::string text;
  for (const Claim& claim : claims) {
    if (claim.*bytes > 0) text += fmt::format("  {:<{}} {:>10.1f} MiB\n", claim.name, width, mebibytes(claim.*bytes));
  }
  return text;
}

constexpr const char* kHint = "Give fewer --against at a time, or less of what each takes (phasor plan tells)";

void check_host(std::span<const Claim> claims, const PlannedExecutions& planned) {
  Budgets least = planned.first.budgets;
  for (const PlannedExecution& other : planned.others) {
    const Budgets& own = other.resolution.budgets;
    if (own.host && (!least.host || *own.host < *least.host)) least = own;
  }
  std::int64_t taken = 0;
  for (const Claim& claim : claims) taken += claim.host_bytes;
  if (!least.host || taken <= *least.host) return;
  throw MemoryTooSmall(fmt::format(
      "verify: host memory: {:.1f} MiB, all that {} leaves, are too little: the executions, which run side "
      "by side, take {:.1f} MiB together\n{}{}",
      mebibytes(*least.host), least.host_limit, mebibytes(taken), table_of(claims, &Claim::host_bytes), kHint));
}

// Stores in one folder share what its disk has left; folders of one disk are not known to.
void check_files(std::span<const Claim> claims, const PlannedExecutions& planned) {
  std::map<std::string, std::int64_t> free;  // by path
  const auto note = [&](const Resolution& resolution) {
    if (resolution.budgets.files) free[resolution.run.store.path] = *resolution.budgets.files;
  };
  note(planned.first);
  for (const PlannedExecution& other : planned.others) note(other.resolution);
  for (const auto& [path, bytes] : free) {
    std::vector<Claim> own;
    std::ranges::copy_if(claims, std::back_inserter(own),
                         [&path = path](const Claim& claim) { return claim.path == path; });
    std::int64_t taken = 0;
    for (const Claim& claim : own) taken += claim.file_bytes;
    if (taken <= bytes) continue;
    throw MemoryTooSmall(
        fmt::format("verify: execution.remote.path '{}': {:.1f} MiB, all that the disk has left, are too little: the "
                    "executions take {:.1f} MiB together\n{}{}",
                    path, mebibytes(bytes), mebibytes(taken), table_of(own, &Claim::file_bytes), kHint));
  }
}

}  // namespace

void check_memory(const PlannedExecutions& planned, bool activations) {
  const std::vector<Claim> claims = claims_of(planned, activations);
  check_host(claims, planned);
  check_files(claims, planned);
}

}  // namespace phasor::run
