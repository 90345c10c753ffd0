// training_samples FOLDER SOURCE [--KEY VALUE]...: what a run trains on, in its order, for other programs to do the
// same. SOURCE and keys are those of `phasor train`. Writes the arrays of transformers_batch.h, of all steps one behind
// the other, as little-endian int32 into files of their names in FOLDER, which is there, beside them sample_numbers, by
// which data.train counts the samples, and on standard output
// {"samples": ..., "samples_of_steps": [...], "sequence_length": ...}: how many each step trains on, of the samples
// from those of the step before on.
#include <bit>
#include <fmt/ranges.h>
#include <fstream>
#include <map>

#include "engine/base/error.h"
#include "models/architecture/model_config.h"
#include "models/batches/data_order.h"
#include "models/config/load_config.h"
#include "models/run/steps.h"
#include "models/tasks/task_table.h"
#include "models/verify/executions/transformers_batch.h"

namespace {

using namespace phasor;

static_assert(std::endian::native == std::endian::little);

// The arrays of a run, a file each, a step's samples at a time.
class ArrayFiles {
 public:
  explicit ArrayFiles(std::string folder) : folder_(std::move(folder)) {}

  void append(const std::vector<run::NamedArray>& arrays) {
    for (const run::NamedArray& array : arrays) {
      auto& file = files_.try_emplace(array.name, folder_ + "/" + array.name, std::ios::binary).first->second;
      file.write(reinterpret_cast<const char*>(array.elements.data()),
                 static_cast<std::streamsize>(array.elements.size() * sizeof(std::int32_t)));
      check_whole(array.name);
    }
  }

  void close() {
    for (auto& [name, file] : files_) {
      file.close();
      check_whole(name);
    }
  }

 private:
  void check_whole(const std::string& name) const {
    check(files_.at(name).good(), "'{}/{}' cannot be written", folder_, name);
  }

  std::string folder_;
  std::map<std::string, std::ofstream> files_;
};

void print_samples(const std::string& folder, const std::string& source,
                   const std::map<std::string, std::string>& keys) {
  const run::ResolvedRun config = run::settle_defaults(run::load_config(source, keys));
  run::check_has_transformers_batch(config);
  const auto samples = tasks::make_task(config)->training_samples(config, io::silent());
  std::int64_t steps = run::total_steps(config.training, samples->size());
  if (config.training.stop_after > 0) steps = std::min(steps, config.training.stop_after);

  run::DataOrder order(static_cast<std::uint64_t>(config.seed), samples->size());
  ArrayFiles files(folder);
  std::vector<std::int64_t> samples_of_steps, chosen;
  std::int64_t position = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    order.choose(position, config.training.global_batch_size, chosen);
    files.append(run::transformers_batch(config, *samples, chosen));
    files.append({{.name = "sample_numbers", .elements = {chosen.begin(), chosen.end()}}});
    samples_of_steps.push_back(std::ssize(chosen));
    position += std::ssize(chosen);
  }
  files.close();
  fmt::print("{{\"samples\": {}, \"samples_of_steps\": [{}], \"sequence_length\": {}}}\n", position,
             fmt::join(samples_of_steps, ", "), architecture::row_tokens(config.model));
}

}  // namespace

int main(int count, char** arguments) try {
  phasor::check(count >= 3 && count % 2 == 1, "usage: training_samples FOLDER SOURCE [--KEY VALUE]...");
  std::map<std::string, std::string> keys;
  for (int i = 3; i < count; i += 2) keys[std::string(arguments[i]).substr(2)] = arguments[i + 1];
  print_samples(arguments[1], arguments[2], keys);
  return 0;
} catch (const phasor::UserError& error) {
  fmt::print(stderr, "training_samples: {}\n", error.what());
  return 2;
}
