#include "models/checkpoint/saver.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "models/bert/stages.h"
#include "tests/support/full_disk.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

using test::FullDisk;

class Saver : public ::testing::Test {
 protected:
  Saver() { state_.initialise(1); }

  std::string save(CheckpointSaver& saver, std::int64_t step, std::int64_t best = -1, bool numbered = true) {
    saver.start(state_, {.step = step}, numbered, best);
    saver.wait_until_read();
    return saver.finish();
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
      names.push_back(entry.path().filename());
    }
    std::ranges::sort(names);
    return names;
  }

  test::TemporaryFolder folder_;
  CheckpointFiles files_{folder_.file("checkpoint.h5"), 2};
  Stages stages_ = bert::training_stages({.layers = 1,
                                          .hidden_size = 64,
                                          .heads = 2,
                                          .intermediate_size = 64,
                                          .sequence_length = 8,
                                          .max_positions = 8,
                                          .vocab_size = 1000},
                                         1);
  RemoteMemory memory_{memory_store(), 1};
  ModelState state_{stages_, memory_, 100};
};

using FileNames = std::vector<std::string>;

TEST_F(Saver, KeepsTheNewestAndTheBest) {
  CheckpointSaver saver(files_, {}, stages_);
  EXPECT_EQ(saver.finish(), "");
  for (std::int64_t step : {10, 20, 30, 40}) EXPECT_EQ(save(saver, step, 10), "");
  EXPECT_EQ(names(),
            (FileNames{"checkpoint-00000010.h5", "checkpoint-00000030.h5", "checkpoint-00000040.h5", "checkpoint.h5"}));
  EXPECT_EQ(read_position(files_.path()).step, 40);
  files_.make_best(10);
  EXPECT_EQ(read_position(folder_.file("checkpoint-best.h5")).step, 10);
  // A run that starts again at 20 leaves the files of the other one alone.
  EXPECT_EQ(save(saver, 20), "");
  EXPECT_EQ(read_position(files_.path()).step, 20);
  EXPECT_EQ(files_.steps(), (std::vector<std::int64_t>{10, 20, 30, 40}));
  EXPECT_EQ(save(saver, 123456789), "");
  EXPECT_EQ(files_.steps(), (std::vector<std::int64_t>{40, 123456789}));
}

TEST_F(Saver, KeepsAllWhereAskedTo) {
  files_ = {folder_.file("checkpoint.h5"), 0};
  CheckpointSaver saver(files_, {}, stages_);
  for (std::int64_t step : {1, 2, 3}) EXPECT_EQ(save(saver, step), "");
  EXPECT_EQ(files_.steps(), (std::vector<std::int64_t>{1, 2, 3}));
}

TEST_F(Saver, WithoutNumbersThereIsOneFile) {
  CheckpointSaver saver(files_, {}, stages_);
  for (std::int64_t step : {1, 2}) EXPECT_EQ(save(saver, step, -1, false), "");
  EXPECT_EQ(names(), FileNames{"checkpoint.h5"});
  EXPECT_EQ(read_position(files_.path()).step, 2);
}

TEST_F(Saver, AFullDiskKeepsThePreviousCheckpoint) {
  CheckpointSaver saver(files_, {}, stages_);
  EXPECT_EQ(save(saver, 1), "");
  const auto bytes = std::filesystem::file_size(files_.path());
  for (std::uintmax_t room : {std::uintmax_t{1000}, bytes / 3, bytes - 100}) {
    const FullDisk disk(room);
    const std::string failure = save(saver, 2);
    EXPECT_TRUE(failure.starts_with("step 2 was not saved: ")) << failure;
    EXPECT_TRUE(failure.ends_with("; the checkpoint of step 1 is kept")) << failure;
    EXPECT_NE(failure.find("checkpoint.h5"), failure.npos) << failure;
    EXPECT_NE(failure.find("cannot be written: File too large"), failure.npos) << failure;
    EXPECT_EQ(failure.find('\n'), failure.npos);
    EXPECT_EQ(names(), (FileNames{"checkpoint-00000001.h5", "checkpoint.h5"})) << room;
  }
  EXPECT_EQ(read_position(files_.path()).step, 1);
  EXPECT_EQ(save(saver, 3), "");
  EXPECT_EQ(read_position(files_.path()).step, 3);
}

// Without a number it takes the name from the file of an earlier step, and leaves that one alone.
TEST_F(Saver, SavesBetweenNumberedSteps) {
  CheckpointSaver saver(files_, {}, stages_);
  EXPECT_EQ(save(saver, 10), "");
  EXPECT_EQ(save(saver, 13, -1, false), "");
  EXPECT_EQ(names(), (FileNames{"checkpoint-00000010.h5", "checkpoint.h5"}));
  EXPECT_EQ(read_position(files_.path()).step, 13);
  EXPECT_EQ(read_position(files_.of_step(10)).step, 10);
}

TEST_F(Saver, KnowsBeforehandThatItCannotSave) {
  const auto message = [&](const std::string& path) {
    return test::message_of([&] { CheckpointSaver(CheckpointFiles(path, 2), {}, stages_).check_can_save(); });
  };
  EXPECT_EQ(message(files_.path()), "no error");
  EXPECT_EQ(names(), FileNames{});
  std::filesystem::create_directory(folder_.file("folder.h5"));
  EXPECT_EQ(message(folder_.file("folder.h5")),
            "file: '" + folder_.file("folder.h5") + "' cannot be written: it is a folder");
  EXPECT_EQ(message("/proc/checkpoint.h5"), "file: '/proc/checkpoint.h5' cannot be written: No such file or directory");
}

TEST_F(Saver, ADiskWithoutRoomShowsBeforehand) {
  const Stages vast = bert::training_stages({.layers = 1,
                                             .hidden_size = 1 << 20,
                                             .heads = 2,
                                             .intermediate_size = 1 << 20,
                                             .sequence_length = 8,
                                             .max_positions = 8,
                                             .vocab_size = 1 << 20},
                                            1);
  const std::string message = test::message_of([&] { CheckpointSaver(files_, {}, vast).check_can_save(); });
  EXPECT_TRUE(message.starts_with("checkpoint: '" + files_.path() + "' will take ")) << message;
}

// What a run that was killed right behind a save has left undone.
TEST_F(Saver, TidiesUp) {
  CheckpointSaver saver(files_, {}, stages_);
  for (std::int64_t step : {1, 2, 3}) EXPECT_EQ(save(saver, step, 1), "");
  files_.make_best(2);
  std::filesystem::copy(files_.path(), files_.of_step(4));
  std::ofstream(files_.path() + ".999999999.tmp") << "half";
  saver.tidy(4, 1);
  EXPECT_EQ(names(), (FileNames{"checkpoint-00000001.h5", "checkpoint-00000003.h5", "checkpoint-00000004.h5",
                                "checkpoint-best.h5", "checkpoint.h5"}));
  EXPECT_EQ(read_position(files_.best()).step, 1);
}

TEST_F(Saver, AFolderThatIsGoneIsAFailure) {
  files_ = {folder_.path() + "/gone/checkpoint.h5", 2};
  std::filesystem::create_directory(folder_.file("gone"));
  CheckpointSaver saver(files_, {}, stages_);
  EXPECT_EQ(save(saver, 1), "");
  std::filesystem::remove_all(folder_.file("gone"));
  const std::string failure = save(saver, 2);
  EXPECT_EQ(failure.find("is kept"), failure.npos) << failure;
  EXPECT_TRUE(failure.starts_with("step 2 was not saved: hdf5: '" + folder_.path() + "/gone/checkpoint.h5"));
}

// What a kill leaves in between: the file that a run goes on from is the first to be of a step, never the last.
TEST_F(Saver, TheRunsFileIsOfAStepBeforeANumberedOneIs) {
  CheckpointSaver saver(files_, {}, stages_);
  EXPECT_EQ(save(saver, 1), "");
  std::filesystem::create_directory(files_.of_step(2));  // which no file can take the name of
  EXPECT_TRUE(save(saver, 2).starts_with("step 2 is saved, but not under a name of its own: file: "));
  EXPECT_EQ(read_position(files_.path()).step, 2);
  EXPECT_EQ(saver.saved_step(), 2);
  EXPECT_EQ(save(saver, 3), "");
  EXPECT_EQ(read_position(files_.of_step(3)).step, 3);
}

}  // namespace
}  // namespace phasor::run
