// training_samples FOLDER SOURCE [--KEY VALUE]...: what a run trains on, in its order, for other programs to do the
// same. SOURCE and keys are those of `phasor train`. Writes little-endian int32 arrays into FOLDER, which is there:
//   input_ids, token_type_ids, attention_mask   [samples, model.sequence_length]; the mask is 1 at a token, 0 at
//   padding start_positions, end_positions              [samples]
// and on standard output {"samples": ..., "samples_of_steps": [...], "sequence_length": ...}: how many each step trains
// on, of the samples from those of the step before on.
#include <bit>
#include <filesystem>
#include <fmt/ranges.h>
#include <fstream>

#include "engine/base/error.h"
#include "models/architecture/model_config.h"
#include "models/batches/data_order.h"
#include "models/config/load_config.h"
#include "models/run/training.h"
#include "models/squad/inputs.h"
#include "models/tasks/task_table.h"

namespace {

using namespace phasor;

static_assert(std::endian::native == std::endian::little);

class ArrayFile {
 public:
  explicit ArrayFile(const std::string& path) : path_(path), file_(path, std::ios::binary) {}

  void append(std::span<const std::int32_t> values) {
    file_.write(reinterpret_cast<const char*>(values.data()), static_cast<std::streamsize>(values.size_bytes()));
  }

  void close() {
    file_.close();
    check(file_.good(), "'{}' cannot be written", path_);
  }

 private:
  std::string path_;
  std::ofstream file_;
};

void print_samples(const std::string& folder, const std::string& source,
                   const std::map<std::string, std::string>& keys) {
  const run::ResolvedRun config = run::settle_defaults(run::load_config(source, keys));
  const auto samples = tasks::make_task(config)->training_samples(config, io::silent());
  const std::int64_t global = config.training.global_batch_size;
  std::int64_t steps = run::total_steps(config.training, samples->size());
  if (config.training.stop_after > 0) steps = std::min(steps, config.training.stop_after);

  ArrayFile ids(folder + "/input_ids"), types(folder + "/token_type_ids"), mask(folder + "/attention_mask"),
      starts(folder + "/start_positions"), ends(folder + "/end_positions");
  run::DataOrder order(static_cast<std::uint64_t>(config.seed), samples->size());
  std::vector<std::int32_t> attends;
  std::vector<std::int64_t> samples_of_steps;
  std::int64_t position = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    samples_of_steps.push_back(order.samples_of_step(position, global));
    run::BatchTensors batch(architecture::training_stages(config.model, samples_of_steps.back()));
    std::vector<run::Place> places(static_cast<std::size_t>(samples_of_steps.back()));
    std::int64_t row = 0;
    for (run::Place& place : places) place = {.sample = order.sample_at(position++), .label_weight = 1, .row = row++};
    samples->fill(places, batch);
    ids.append(batch.of<std::int32_t>("input_ids"));
    types.append(batch.of<std::int32_t>("token_type_ids"));
    attends.clear();
    const std::int64_t sequence = squad::model_of(config).sequence_length;
    for (const run::Place& place : places) {
      const std::int64_t length = samples->tokens(place.sample);
      attends.insert(attends.end(), static_cast<std::size_t>(length), 1);
      attends.insert(attends.end(), static_cast<std::size_t>(sequence - length), 0);
    }
    mask.append(attends);
    const std::span<std::int32_t> labels = batch.of<std::int32_t>("labels");
    starts.append(labels.first(places.size()));
    ends.append(labels.last(places.size()));
  }
  for (ArrayFile* file : {&ids, &types, &mask, &starts, &ends}) file->close();
  fmt::print("{{\"samples\": {}, \"samples_of_steps\": [{}], \"sequence_length\": {}}}\n", position,
             fmt::join(samples_of_steps, ", "), squad::model_of(config).sequence_length);
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
