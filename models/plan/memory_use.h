// What a training run takes of each tier of memory, and what there is: the device, which is a part of each replica's
// host memory set aside, the host itself, and the disk where remote memory is in files.
#pragma once

#include <optional>
#include <string>

#include "models/plan/remote_bytes.h"

namespace phasor::run {

// The program, its libraries, generated code.
inline constexpr std::int64_t kProgramBytes = std::int64_t{64} << 20;

struct MemoryUse {
  std::int64_t device_bytes = 0;  // of a replica's fullest device, at its peak
  RemoteBytes remote{};           // of all replicas together
  // Of the process, without remote memory: the arenas and links of all replicas, and the program with its libraries.
  std::int64_t process_bytes = 0;  // kProgramBytes are the program's
  bool remote_in_files = false;

  std::int64_t host_bytes() const { return process_bytes + (remote_in_files ? 0 : total(remote)); }
  std::int64_t file_bytes() const { return remote_in_files ? total(remote) : 0; }
};

// From plans of few layers and micro-batches, where that is enough (small_run.h).
MemoryUse memory_use(const ResolvedRun& run);

// A tier's; nothing: there is no limit, or none that the system tells of.
struct Budgets {
  std::optional<std::int64_t> device, host, files;
  std::string host_limit;  // what sets that of the host: "execution.host_memory", "the machine"
};

// What the run was given and, where it was given nothing, what the machine has free: of the host all but a part that is
// left to the data and to others.
Budgets budgets_of(const ResolvedRun& run);

bool fits_device(const MemoryUse& use, const Budgets& budgets);
bool fits_host(const MemoryUse& use, const Budgets& budgets);
bool fits_files(const MemoryUse& use, const Budgets& budgets);
inline bool fits(const MemoryUse& use, const Budgets& budgets) {
  return fits_device(use, budgets) && fits_host(use, budgets) && fits_files(use, budgets);
}

}  // namespace phasor::run
