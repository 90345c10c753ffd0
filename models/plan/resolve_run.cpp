#include "models/plan/resolve_run.h"

#include <fmt/format.h>

#include "engine/base/byte_size.h"
#include "engine/kernels/product/product.h"
#include "engine/program/memory/byte_text.h"
#include "models/config/config_changes.h"
#include "models/machine/rates.h"
#include "models/plan/refusal.h"

namespace phasor::run {

namespace {

constexpr std::int64_t kMoreBytes = std::int64_t{100} << 20;

std::string note_of_device(const Candidate& chosen, const Candidate& with_more, const OpenChoices& open,
                           std::int64_t budget) {
  const auto seconds = [](const Candidate& c) {
    return c.seconds ? fmt::format(", {:.{}f} s a step", *c.seconds, *c.seconds < 10 ? 2 : 1) : "";
  };
  const std::string mine = to_string(chosen.run, open), other = to_string(with_more.run, open);
  const std::string more =
      mine == other ? "would change nothing" : fmt::format("would allow {}{}", other, seconds(with_more));
  return fmt::format("device memory {}: {}; peak {}{}. 100 MiB more {}", byte_text(budget), mine,
                     byte_text(chosen.use.device_bytes), seconds(chosen), more);
}

// Of one that does not keep all activations because the host or the disk has no room for them.
std::string note_of_remote(const Candidate& chosen, const OpenChoices& open, const Budgets& budgets) {
  if (chosen.run.execution.recompute == Recompute::none) return "";
  const bool in_files = chosen.use.remote_in_files;
  return fmt::format("{} {:.1f} MiB: {}; the run takes {:.1f} MiB", in_files ? "disk" : "host memory",
                     mebibytes(in_files ? *budgets.files : *budgets.host), to_string(chosen.run, open),
                     mebibytes(in_files ? chosen.use.file_bytes() : chosen.use.host_bytes()));
}

void choose_for_device(Resolution& resolution, std::vector<Candidate>& candidates, const OpenChoices& open,
                       const ResolvedRun& run, const RatesOf& rates_of) {
  const Budgets& budgets = resolution.budgets;
  Budgets more = budgets;
  *more.device += kMoreBytes;
  std::vector<Candidate> with_more = fitting_candidates(run, open, more);
  if (candidates.size() == 1 && with_more.size() > 1) {
    candidates.front().seconds = predicted_seconds(candidates.front().run, rates_of);
  }
  const Candidate& chosen = fastest(candidates, rates_of);
  resolution.run = chosen.run;
  resolution.use = chosen.use;
  resolution.note = note_of_device(chosen, fastest(with_more, rates_of), open, *budgets.device);
}

Resolution fitted(const ResolvedRun& run, const OpenChoices& open, Purpose purpose, const RatesOf& rates_of) {
  Resolution resolution{.run = run, .use = {}, .budgets = budgets_of(run), .note = "", .refusal = ""};
  std::vector<Candidate> candidates = fitting_candidates(run, open, resolution.budgets);
  if (candidates.empty()) {
    resolution.run = least_demanding(run, open);
    resolution.use = memory_use(resolution.run);
    resolution.refusal = refusal(resolution.run, resolution.use, resolution.budgets);
    if (purpose == Purpose::train) throw MemoryTooSmall(resolution.refusal);
  } else if (open.any() && resolution.budgets.device) {
    choose_for_device(resolution, candidates, open, run, rates_of);
  } else {
    resolution.run = candidates.front().run;
    resolution.use = candidates.front().use;
    if (open.recompute) resolution.note = note_of_remote(candidates.front(), open, resolution.budgets);
  }
  return resolution;
}

void check_products(Products products) {
  const std::string_view name = backend_name(products);
  check(products == Products::automatic || kernels::has_backend(name),
        "execution.products {} is not installed, or this program was built without it, or it has no fast kernels for "
        "this processor; with auto the best of those that are there serves",
        name);
}

}  // namespace

Resolution resolve_run(const RunConfig& config, Purpose purpose, const RatesOf& rates_of) {
  check_products(config.execution.products);
  if (purpose != Purpose::show) check_same_model(config);
  const ResolvedRun run = settle_defaults(config);
  if (purpose == Purpose::infer) return {.run = run, .use = {}, .budgets = {}, .note = "", .refusal = ""};
  return fitted(run, open_choices(config), purpose, rates_of);
}

Resolution resolve_run(const RunConfig& config, Purpose purpose) {
  return resolve_run(config, purpose, [](const ResolvedRun& run, const Pipeline& pipeline) {
    return machine_rates(pipeline, run, false);
  });
}

}  // namespace phasor::run
