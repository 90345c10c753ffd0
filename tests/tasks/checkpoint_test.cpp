// A checkpoint gives back what was saved, or says in one line why it cannot.
#include "models/tasks/checkpoint.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "io/text_file.h"
#include "models/bert/stages.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::tasks {
namespace {

using namespace phasor::test;

const bert::Config kSavedModel{.layers = 2,
                               .hidden_size = 16,
                               .heads = 2,
                               .intermediate_size = 24,
                               .sequence_length = 8,
                               .max_positions = 8,
                               .vocab_size = 31};

// A model's state on two replicas, every tensor of it set from the seed.
struct SavedModel {
  explicit SavedModel(std::uint64_t seed, const bert::Config& config = kSavedModel, int replicas = 2)
      : stages(bert::training_stages(config, 1)), memory(memory_store(), replicas), state(stages, memory, 100) {
    if (seed == 0) return;
    state.initialise(seed);
    float next = static_cast<float>(seed);
    for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
      for (StateKind moment : {StateKind::moment1, StateKind::moment2}) {
        std::vector<float> values = state.read(moment, tensor);
        for (float& value : values) value = next += 0.5f;
        state.write(moment, tensor, values);
      }
    }
  }
  std::vector<std::vector<float>> all() const {
    std::vector<std::vector<float>> all;
    for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
      for (StateKind kind : kSavedStates) all.push_back(state.read(kind, tensor));
    }
    return all;
  }

  Stages stages;
  RemoteMemory memory;
  ModelState state;
};

const RunPosition kSavedPosition{.step = 20,
                                 .samples = 320,
                                 .seed = 7,
                                 .config = "model: {layers: 2}",
                                 .global_batch_size = 16,
                                 .data_samples = 100,
                                 .data = "abc",
                                 .loss_scale = 2};

class Checkpoint : public ::testing::Test {
 protected:
  Checkpoint() { save_checkpoint(path_, model_.stages, model_.state, kSavedPosition); }

  std::string failure() const {
    return message_of([&] {
      read_position(path_);
      load_checkpoint(path_, fresh_.stages, fresh_.state);
    });
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("checkpoint.h5");
  SavedModel model_{5};
  mutable SavedModel fresh_{0};
};

TEST_F(Checkpoint, GivesBackWhatWasSaved) {
  const RunPosition position = read_position(path_);
  EXPECT_EQ(position.step, 20);
  EXPECT_EQ(position.samples, 320);
  EXPECT_EQ(position.epoch(), 3);
  EXPECT_EQ(position.seed, 7);
  EXPECT_EQ(position.config, kSavedPosition.config);
  EXPECT_EQ(position.global_batch_size, 16);
  EXPECT_EQ(position.data_samples, 100);
  EXPECT_EQ(position.data, "abc");
  EXPECT_EQ(position.loss_scale, 2);
  EXPECT_TRUE(position.program.starts_with("phasor "));
  load_checkpoint(path_, fresh_.stages, fresh_.state);
  EXPECT_EQ(fresh_.all(), model_.all());
}

TEST_F(Checkpoint, TheFileDoesNotShowThePlacement) {
  SavedModel other(5, kSavedModel, 3);
  const std::string path = folder_.file("other.h5");
  save_checkpoint(path, other.stages, other.state, kSavedPosition);
  EXPECT_EQ(io::read_file("test", path), io::read_file("test", path_));
}

TEST_F(Checkpoint, CompressedHoldsTheSame) {
  const std::string path = folder_.file("small.h5");
  save_checkpoint(path, model_.stages, model_.state, kSavedPosition, {.deflate = 6});
  EXPECT_LT(std::filesystem::file_size(path), std::filesystem::file_size(path_));
  load_checkpoint(path, fresh_.stages, fresh_.state);
  EXPECT_EQ(fresh_.all(), model_.all());
}

TEST_F(Checkpoint, WeightsAlone) {
  const std::vector<float> zero(31 * 16, 0.0f);
  load_weights(path_, fresh_.stages, fresh_.state);
  const CanonicalTensor words = canonical_tensors(fresh_.stages)[0];
  EXPECT_EQ(fresh_.state.read(StateKind::weight, words), model_.state.read(StateKind::weight, words));
  EXPECT_EQ(fresh_.state.read(StateKind::moment1, words), zero);
}

TEST_F(Checkpoint, AnotherModelShowsBeforeAnythingIsSet) {
  const auto untouched = fresh_.all();
  bert::Config wide = kSavedModel, deep = kSavedModel, shallow = kSavedModel;
  wide.vocab_size = 32;
  deep.layers = 3;
  shallow.layers = 1;
  const auto failure_with = [&](const bert::Config& config) {
    SavedModel other(0, config);
    const auto before = other.all();
    const std::string message = message_of([&] { load_checkpoint(path_, other.stages, other.state); });
    EXPECT_EQ(other.all(), before);
    return message;
  };
  const std::string subject = fmt::format("checkpoint: '{}' ", path_);
  EXPECT_EQ(
      failure_with(wide),
      subject + "tensor '/weight/bert.embeddings.word_embeddings.weight' is f32[31, 16], the model's is f32[32, 16]");
  EXPECT_EQ(failure_with(deep), subject +
                                    "has no tensor '/weight/bert.encoder.layer.2.attention.self.query.weight'. Is it "
                                    "of another model?");
  EXPECT_EQ(failure_with(shallow),
            subject +
                "has a tensor '/weight/bert.encoder.layer.1.attention.output.LayerNorm.bias', the "
                "model has none of that name");
}

TEST_F(Checkpoint, FilesOfOthers) {
  {
    auto file = io::Hdf5File::open_to_update(path_);
    file.set_attribute("/", "version", std::int64_t{2});
  }
  EXPECT_EQ(failure(), fmt::format("checkpoint: '{}' has version 2, this program reads up to 1", path_));
  {
    auto file = io::Hdf5File::open_to_update(path_);
    file.set_attribute("/", "format", "cache");
  }
  EXPECT_EQ(failure(), fmt::format("checkpoint: '{}' is an HDF5 file, but not a checkpoint", path_));
}

// One line that names the file.
void expect_one_line(const std::string& message, const std::string& path, std::size_t where) {
  EXPECT_NE(message.find("'" + path + "'"), message.npos) << where << ": " << message;
  EXPECT_EQ(message.find('\n'), message.npos) << where << ": " << message;
}

TEST_F(Checkpoint, CutShortAnywhere) {
  const auto size = std::filesystem::file_size(path_);
  constexpr std::size_t kPlaces = 200;
  for (std::size_t i = kPlaces; i-- > 0;) {
    std::filesystem::resize_file(path_, size * i / kPlaces);
    expect_one_line(failure(), path_, i);
  }
}

// A byte that belongs to nothing may be any; every other is covered by a sum.
TEST_F(Checkpoint, AlteredAnywhere) {
  const std::string whole = io::read_file("test", path_);
  const auto expected = model_.all();
  std::size_t found = 0, tried = 0;
  for (std::size_t where = 0; where < whole.size(); where += where < 4096 ? 31 : whole.size() / 400) {
    std::string altered = whole;
    altered[where] = static_cast<char>(altered[where] ^ (1 << where % 8));
    std::ofstream(path_, std::ios::binary) << altered;
    ++tried;
    const std::string message = failure();
    if (message == "no error") {
      EXPECT_EQ(fresh_.all(), expected) << where;
      const RunPosition position = read_position(path_);
      EXPECT_EQ(position.step, kSavedPosition.step) << where;
      EXPECT_EQ(position.samples, kSavedPosition.samples) << where;
      EXPECT_EQ(position.seed, kSavedPosition.seed) << where;
      EXPECT_EQ(position.config, kSavedPosition.config) << where;
    } else {
      ++found;
      expect_one_line(message, path_, where);
    }
  }
  RecordProperty("altered", static_cast<int>(tried));
  RecordProperty("found", static_cast<int>(found));
  EXPECT_GT(found, tried / 2);
}

}  // namespace
}  // namespace phasor::tasks
