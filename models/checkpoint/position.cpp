#include "models/checkpoint/position.h"

#include <fmt/format.h>

#include "engine/base/error.h"
#include "io/files/content_sum.h"

namespace phasor::run {

namespace {

constexpr const char* kCheckpointFormat = "phasor checkpoint";
constexpr std::int64_t kCheckpointVersion = 2;
constexpr std::int64_t kFirstVersionWithSums = 2;
constexpr const char* kSumAttribute = "xxh3";

// HDF5 has sums of its own for attributes, but not for those of several thousand bytes, as configurations are.
std::string sum_of(const RunPosition& position) {
  const std::string text = fmt::format(
      "step {}\nsamples {}\nseed {}\nglobal_batch_size {}\ndata_samples {}\ndata {}\nloss_scale {}\nprogram {}\n"
      "config {}",
      position.step, position.samples, position.seed, position.global_batch_size, position.data_samples, position.data,
      position.loss_scale, position.program, position.config);
  io::ContentSum sum;
  sum.add(std::as_bytes(std::span(text)));
  return sum.text();
}

}  // namespace

void write_position(io::Hdf5File& file, const RunPosition& position) {
  RunPosition written = position;
  written.program = fmt::format("phasor {}, HDF5 {}", PHASOR_VERSION, io::hdf5_version());
  file.set_attribute("/", "format", kCheckpointFormat);
  file.set_attribute("/", "version", kCheckpointVersion);
  file.set_attribute("/", "program", written.program);
  file.set_attribute("/", "step", written.step);
  file.set_attribute("/", "epoch", written.epoch());
  file.set_attribute("/", "samples", written.samples);
  file.set_attribute("/", "seed", written.seed);
  file.set_attribute("/", "global_batch_size", written.global_batch_size);
  file.set_attribute("/", "data_samples", written.data_samples);
  file.set_attribute("/", "data", written.data);
  file.set_attribute("/", "loss_scale", written.loss_scale);
  file.set_attribute("/", "config", written.config);
  file.set_attribute("/", kSumAttribute, sum_of(written));
}

io::Hdf5File open_checkpoint(const std::string& path) {
  io::Hdf5File file = io::Hdf5File::open(path);
  check(file.has_attribute("/", "format") && file.string_attribute("/", "format") == kCheckpointFormat,
        "checkpoint: '{}' is an HDF5 file, but not a checkpoint", path);
  const std::int64_t version = file.integer_attribute("/", "version");
  check(version <= kCheckpointVersion, "checkpoint: '{}' has version {}, this program reads up to {}", path, version,
        kCheckpointVersion);
  return file;
}

bool has_sums(const io::Hdf5File& checkpoint) {
  return checkpoint.integer_attribute("/", "version") >= kFirstVersionWithSums;
}

RunPosition read_position(const std::string& path) {
  const io::Hdf5File file = open_checkpoint(path);
  RunPosition position{.step = file.integer_attribute("/", "step"),
                       .samples = file.integer_attribute("/", "samples"),
                       .seed = file.integer_attribute("/", "seed"),
                       .config = file.string_attribute("/", "config")};
  const auto knows = [&](const char* name) { return file.has_attribute("/", name); };
  if (knows("global_batch_size")) position.global_batch_size = file.integer_attribute("/", "global_batch_size");
  if (knows("data_samples")) position.data_samples = file.integer_attribute("/", "data_samples");
  if (knows("data")) position.data = file.string_attribute("/", "data");
  if (knows("loss_scale")) position.loss_scale = file.double_attribute("/", "loss_scale");
  if (knows("program")) position.program = file.string_attribute("/", "program");
  check(!has_sums(file) || file.string_attribute("/", kSumAttribute) == sum_of(position),
        "checkpoint: '{}' has attributes that are not as they were written. The file is damaged", path);
  check(position.step >= 0 && position.samples >= 0,
        "checkpoint: '{}' is at step {} and sample {}, expected none below 0", path, position.step, position.samples);
  return position;
}

}  // namespace phasor::run
