// training_samples FOLDER SOURCE [--KEY VALUE]...: what a run trains on, in its order, for other programs to do the
// same. SOURCE and keys are those of `phasor train`. Writes little-endian int32 arrays into FOLDER, which is there, of
// [samples, model.sequence_length] or, positions, of [samples]:
//   of SQuAD  input_ids, token_type_ids; attention_mask, 1 at a token and 0 at padding; start_positions, end_positions
//   of text   input_ids; labels, the token behind each, -100 where it has no weight, which is at padding
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
#include "models/fields/alternatives.h"
#include "models/run/steps.h"
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

// The arrays of a task, a step's samples at a time: sample i of `places` is row i of the batch.
class TaskArrays {
 public:
  virtual ~TaskArrays() = default;
  virtual void append(const run::Samples& samples, std::span<const run::Place> places,
                      const run::BatchTensors& batch) = 0;
  virtual void close() = 0;
};

class SquadArrays : public TaskArrays {
 public:
  explicit SquadArrays(const std::string& folder)
      : ids_(folder + "/input_ids"),
        types_(folder + "/token_type_ids"),
        mask_(folder + "/attention_mask"),
        starts_(folder + "/start_positions"),
        ends_(folder + "/end_positions") {}

  void append(const run::Samples& samples, std::span<const run::Place> places,
              const run::BatchTensors& batch) override {
    ids_.append(batch.of<std::int32_t>("input_ids"));
    types_.append(batch.of<std::int32_t>("token_type_ids"));
    const std::int64_t sequence = batch.shape("input_ids")[1];
    std::vector<std::int32_t> attends;
    for (const run::Place& place : places) {
      const std::int64_t length = samples.tokens(place.sample);
      attends.insert(attends.end(), static_cast<std::size_t>(length), 1);
      attends.insert(attends.end(), static_cast<std::size_t>(sequence - length), 0);
    }
    mask_.append(attends);
    const std::span<std::int32_t> labels = batch.of<std::int32_t>("labels");
    starts_.append(labels.first(places.size()));
    ends_.append(labels.last(places.size()));
  }

  void close() override {
    for (ArrayFile* file : {&ids_, &types_, &mask_, &starts_, &ends_}) file->close();
  }

 private:
  ArrayFile ids_, types_, mask_, starts_, ends_;
};

class TextArrays : public TaskArrays {
 public:
  explicit TextArrays(const std::string& folder) : ids_(folder + "/input_ids"), labels_(folder + "/labels") {}

  void append(const run::Samples&, std::span<const run::Place>, const run::BatchTensors& batch) override {
    ids_.append(batch.of<std::int32_t>("input_ids"));
    const std::span<std::int32_t> all = batch.of<std::int32_t>("labels");
    std::vector<std::int32_t> labels(all.begin(), all.end());
    const std::span<float> weights = batch.of<float>("label_weights");
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (weights[i] == 0) labels[i] = kNoLabel;
    }
    labels_.append(labels);
  }

  void close() override {
    for (ArrayFile* file : {&ids_, &labels_}) file->close();
  }

 private:
  static constexpr std::int32_t kNoLabel = -100;  // as PyTorch's cross entropy has it
  ArrayFile ids_, labels_;
};

std::unique_ptr<TaskArrays> make_arrays(const run::ResolvedRun& config, const std::string& folder) {
  const auto& task = config.data.task;
  if (std::holds_alternative<task_options::TextOptions>(task)) return std::make_unique<TextArrays>(folder);
  check(std::holds_alternative<task_options::SquadOptions>(task), "data.task is {}, expected squad or text",
        fields::name_of(task));
  return std::make_unique<SquadArrays>(folder);
}

void print_samples(const std::string& folder, const std::string& source,
                   const std::map<std::string, std::string>& keys) {
  const run::ResolvedRun config = run::settle_defaults(run::load_config(source, keys));
  const std::unique_ptr<TaskArrays> arrays = make_arrays(config, folder);
  const auto samples = tasks::make_task(config)->training_samples(config, io::silent());
  const std::int64_t global = config.training.global_batch_size;
  std::int64_t steps = run::total_steps(config.training, samples->size());
  if (config.training.stop_after > 0) steps = std::min(steps, config.training.stop_after);

  run::DataOrder order(static_cast<std::uint64_t>(config.seed), samples->size());
  std::vector<std::int64_t> samples_of_steps;
  std::int64_t position = 0;
  for (std::int64_t step = 0; step < steps; ++step) {
    samples_of_steps.push_back(order.samples_of_step(position, global));
    run::BatchTensors batch(architecture::training_stages(config.model, samples_of_steps.back()));
    std::vector<run::Place> places(static_cast<std::size_t>(samples_of_steps.back()));
    std::int64_t row = 0;
    for (run::Place& place : places) place = {.sample = order.sample_at(position++), .label_weight = 1, .row = row++};
    samples->fill(places, batch);
    arrays->append(*samples, places, batch);
  }
  arrays->close();
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
