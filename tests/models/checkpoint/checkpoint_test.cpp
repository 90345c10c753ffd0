// A checkpoint gives back what was saved, or says in one line why it cannot.
#include "models/checkpoint/checkpoint.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <limits>

#include "io/files/text_file.h"
#include "tests/models/checkpoint/saved_model.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

using namespace phasor::test;

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
    file.set_attribute("/", "version", std::int64_t{3});
  }
  EXPECT_EQ(failure(), fmt::format("checkpoint: '{}' has version 3, this program reads up to 2", path_));
  {
    auto file = io::Hdf5File::open_to_update(path_);
    file.set_attribute("/", "format", "cache");
  }
  EXPECT_EQ(failure(), fmt::format("checkpoint: '{}' is an HDF5 file, but not a checkpoint", path_));
}

TEST_F(Checkpoint, CutShortAnywhere) {
  const auto size = std::filesystem::file_size(path_);
  constexpr std::size_t kPlaces = 200;
  for (std::size_t i = kPlaces; i-- > 0;) {
    std::filesystem::resize_file(path_, size * i / kPlaces);
    expect_one_line(failure(), path_, i);
  }
}

// Writing a tensor's elements in parts takes its sum away, as if it had never had one.
void take_sums_away(const std::string& path) {
  auto file = io::Hdf5File::open_to_update(path);
  for_each_tensor(file, [&](const std::string& name) {
    file.write_elements<float>(name, 0, file.read<float>(name));
    EXPECT_FALSE(file.has_sum(name));
  });
}

TEST_F(Checkpoint, OfTheFirstVersionHasNoSums) {
  take_sums_away(path_);
  EXPECT_EQ(failure(), fmt::format("checkpoint: '{}' tensor '/weight/bert.embeddings.word_embeddings.weight' has lost "
                                   "its sum. The file is damaged",
                                   path_));
  io::Hdf5File::open_to_update(path_).set_attribute("/", "version", std::int64_t{1});
  EXPECT_EQ(failure(), "no error");
  EXPECT_EQ(fresh_.all(), model_.all());
}

TEST_F(Checkpoint, AttributesAreSummed) {
  io::Hdf5File::open_to_update(path_).set_attribute("/", "step", std::int64_t{21});
  EXPECT_EQ(
      failure(),
      fmt::format("checkpoint: '{}' has attributes that are not as they were written. The file is damaged", path_));
}

// The first element that is no finite number, in whatever tensor.
TEST_F(Checkpoint, NumbersThatAreNotFinite) {
  const CanonicalTensor tensor = canonical_tensors(model_.stages)[3];
  const float kWrong[] = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                          -std::numeric_limits<float>::infinity()};
  for (const StateKind kind : kSavedStates) {
    for (const float wrong : kWrong) {
      const std::vector<float> good = model_.state.read(kind, tensor);
      std::vector<float> values = good;
      values[5] = values[7] = wrong;
      model_.state.write(kind, tensor, values);
      save_checkpoint(path_, model_.stages, model_.state, kSavedPosition);
      EXPECT_EQ(failure(), fmt::format("checkpoint: '{}' tensor '/{}/{}' has {} as element 5, expected finite numbers",
                                       path_, state_info(kind).name, tensor.name, wrong));
      model_.state.write(kind, tensor, good);
    }
  }
}

}  // namespace
}  // namespace phasor::run
