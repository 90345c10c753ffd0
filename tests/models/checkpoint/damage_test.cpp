// A checkpoint that is not as it was written is refused in one line, or nothing that it is read for shows the damage.
#include <algorithm>
#include <fstream>
#include <gtest/gtest.h>

#include "io/files/text_file.h"
#include "models/checkpoint/summary.h"
#include "tests/models/checkpoint/saved_model.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

using namespace phasor::test;

const bert::Config kSmallModel{.layers = 1,
                               .hidden_size = 16,
                               .heads = 2,
                               .intermediate_size = 16,
                               .sequence_length = 8,
                               .max_positions = 8,
                               .vocab_size = 11};

// What `inspect` reads, or the line that refuses it.
std::string summary_of(const std::string& path) {
  std::string text;
  const std::string message = message_of([&] {
    for (const TensorSummary& tensor : summarise_tensors(path)) {
      text += fmt::format("{} {} {} {}\n", tensor.name, to_string(tensor.shape), tensor.norm, tensor.largest);
    }
  });
  return message == "no error" ? text : message;
}

std::string text_of(const RunPosition& position) {
  return fmt::format("{} {} {} {} {} {} {} {} {}", position.step, position.samples, position.seed, position.config,
                     position.global_batch_size, position.data_samples, position.data, position.loss_scale,
                     position.program);
}

// Checkpoints that hold the kinds of places there are: attributes too long for HDF5's sums of them, tensors of several
// chunks, and compressed ones.
class DamagedCheckpoint : public ::testing::TestWithParam<io::Hdf5Storage> {
 protected:
  DamagedCheckpoint() {
    RunPosition position = kSavedPosition;
    position.config = "model: {layers: 2}\n";
    while (position.config.size() < 6000) position.config += fmt::format("# {}\n", position.config.size());
    save_checkpoint(path_, model_.stages, model_.state, position, GetParam());
    whole_ = io::read_file("test", path_);
    summary_ = summary_of(path_);
    position_ = text_of(read_position(path_));
    expected_ = model_.all();
  }

  // Whether the file is refused with `bytes` changed; if it is not, that nothing in it shows them.
  bool is_found(std::size_t begin, const std::string& bytes) {
    std::fstream file(path_, std::ios::in | std::ios::out | std::ios::binary);
    const auto put = [&](const std::string& content) {
      file.seekp(static_cast<std::streamoff>(begin));
      file.write(content.data(), std::ssize(content)).flush();
    };
    put(bytes);
    const std::string message = failure();
    if (message == "no error") {
      EXPECT_EQ(fresh_.all(), expected_) << begin << " " << bytes.size();
      EXPECT_EQ(text_of(read_position(path_)), position_) << begin << " " << bytes.size();
    } else {
      expect_one_line(message, path_, begin);
    }
    if (++damages_ % 4 == 0) {
      const std::string summary = summary_of(path_);
      if (summary != summary_) expect_one_line(summary, path_, begin);
    }
    put(whole_.substr(begin, bytes.size()));
    return message != "no error";
  }

  std::string failure() const {
    return message_of([&] {
      read_position(path_);
      load_checkpoint(path_, fresh_.stages, fresh_.state);
    });
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("checkpoint.h5");
  SavedModel model_{5, kSmallModel, 1};
  mutable SavedModel fresh_{0, kSmallModel, 1};
  std::string whole_, summary_, position_;
  std::vector<std::vector<float>> expected_;
  int damages_ = 0;
};

INSTANTIATE_TEST_SUITE_P(All, DamagedCheckpoint,
                         ::testing::Values(io::Hdf5Storage{}, io::Hdf5Storage{.chunk_bytes = 256},
                                           io::Hdf5Storage{.deflate = 1}));

// A byte that belongs to nothing may be any; every other is covered by a sum.
TEST_P(DamagedCheckpoint, AFlippedBitAnywhere) {
  std::size_t found = 0, tried = 0;
  for (std::size_t where = 0; where < whole_.size(); where += where < 4096 ? 67 : whole_.size() / 100) {
    const std::string flipped(1, static_cast<char>(whole_[where] ^ (1 << where % 8)));
    found += is_found(where, flipped) ? 1 : 0;
    ++tried;
  }
  EXPECT_GT(found, tried / 2);
}

// As a disk loses them: from a few bytes to most of the file, with the sums that HDF5 put among them.
TEST_P(DamagedCheckpoint, ZerosAnywhere) {
  for (std::size_t bytes = 4; bytes < whole_.size(); bytes *= 16) {
    const std::size_t places = std::min<std::size_t>(20, whole_.size() / bytes);
    for (std::size_t place = 0; place < places; ++place) {
      const std::size_t begin = whole_.size() * place / places;
      is_found(begin, std::string(std::min(bytes, whole_.size() - begin), '\0'));
    }
  }
}

TEST_P(DamagedCheckpoint, TheConfigurationIsSummed) {
  const std::size_t begin = whole_.find("# 3000"), end = whole_.find("# 40");
  for (const std::size_t where : {begin == whole_.npos ? end : begin, end}) {
    ASSERT_NE(where, whole_.npos);
    EXPECT_TRUE(is_found(where, "! "));
    EXPECT_TRUE(is_found(where, std::string(100, '\0')));
  }
}

// Every chunk of every tensor, with its sum, of which HDF5 sees nothing.
TEST_P(DamagedCheckpoint, ZeroedChunks) {
  const auto file = io::Hdf5File::open(path_);
  for_each_tensor(file, [&](const std::string& name) {
    const std::vector<float> values = file.read<float>(name);
    const std::size_t shown = std::min<std::size_t>(values.size(), 4);
    const std::string first(reinterpret_cast<const char*>(values.data()), sizeof(float) * shown);
    const std::size_t begin = whole_.find(first);
    if (begin == whole_.npos || std::ranges::all_of(first, [](char byte) { return byte == 0; })) return;
    const std::size_t stored = std::min<std::size_t>(values.size() * sizeof(float), 256) + sizeof(std::uint32_t);
    EXPECT_TRUE(is_found(begin, std::string(stored, '\0'))) << name;
  });
}

}  // namespace
}  // namespace phasor::run
