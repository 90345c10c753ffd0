#include "bench/save_bench.h"

#include <algorithm>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

#include "bench/timing.h"
#include "models/architecture/model_config.h"
#include "models/checkpoint/checkpoint.h"
#include "models/checkpoint/fingerprinter.h"

namespace phasor::bench {

namespace {

void write_plainly(const std::string& path, std::int64_t bytes) {
  const std::vector<char> piece(1 << 20, 'x');
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  check(file >= 0, "bench: '{}' cannot be made: {}", path, std::strerror(errno));
  for (std::int64_t done = 0; done < bytes;) {
    const auto part = static_cast<std::size_t>(std::min<std::int64_t>(bytes - done, std::ssize(piece)));
    const ssize_t written = write(file, piece.data(), part);
    if (written <= 0) break;
    done += written;
  }
  const bool whole = fsync(file) == 0 && lseek(file, 0, SEEK_CUR) == bytes;
  close(file);
  unlink(path.c_str());
  check(whole, "bench: '{}' could not be written to its end. Is the disk full?", path);
}

void expect_equal(const std::string& path, const Stages& stages, const ModelState& state) {
  const io::Hdf5File file = run::open_checkpoint(path);
  for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
    for (StateKind kind : kSavedStates) {
      const std::string name = fmt::format("/{}/{}", state_info(kind).name, tensor.name);
      const std::vector<float> saved = file.read<float>(name), own = state.read(kind, tensor);
      ensure(std::memcmp(saved.data(), own.data(), own.size() * sizeof(float)) == 0, "bench: '{}' differs", name);
    }
  }
}

}  // namespace

SaveReport bench_save(const run::ResolvedRun& config, const std::string& folder, int times) {
  check(times > 0, "bench: {} saves are none", times);
  const Stages stages = architecture::training_stages(config.model, 1);
  RemoteMemory memory(memory_store(), 1);
  ModelState state(stages, memory, config.execution.rts_threshold);
  state.initialise(static_cast<std::uint64_t>(config.seed));
  for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
    const std::vector<float> values = state.read(StateKind::weight, tensor);
    for (StateKind moment : {StateKind::moment1, StateKind::moment2}) state.write(moment, tensor, values);
  }
  const io::Hdf5Storage storage{.deflate = config.deflate_level};
  const std::string path = folder + "/bench-checkpoint.h5";
  SaveReport report;
  std::vector<double> seconds, plain_seconds, fingerprint_seconds;
  run::Fingerprinter fingerprinter(stages);
  for (int i = 0; i < times; ++i) {
    seconds.push_back(seconds_of([&] { run::save_checkpoint(path, stages, state, {}, storage); }));
    report.bytes = static_cast<std::int64_t>(std::filesystem::file_size(path));
    if (i == 0) report.verify_seconds = seconds_of([&] { expect_equal(path, stages, state); });
    std::filesystem::remove(path);
    fingerprint_seconds.push_back(seconds_of([&] {
      fingerprinter.start(state);
      fingerprinter.finish();
    }));
    plain_seconds.push_back(seconds_of([&] { write_plainly(path, report.bytes); }));
  }
  report.seconds = median(seconds);
  report.plain_seconds = median(plain_seconds);
  report.fingerprint_seconds = median(fingerprint_seconds);
  return report;
}

}  // namespace phasor::bench
