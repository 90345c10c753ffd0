#include "models/squad/cache.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "io/hdf5/hdf5.h"
#include "models/config/cache_folder.h"
#include "tests/models/squad/letters.h"
#include "tests/support/temporary_folder.h"

namespace phasor::squad {
namespace {

class SquadCacheTest : public testing::Test {
 protected:
  SquadCacheTest() {
    std::ofstream vocab(files_.vocab);
    for (const std::string& token : test::letters_vocabulary()) vocab << token << '\n';
    std::ofstream(files_.data) << R"({"data": [{"paragraphs": [{"context": "a b c", "qas": [
        {"id": "0", "question": "q", "answers": [{"text": "b", "answer_start": 2}]}]}]}]})";
  }

  CachedFeatures load() { return cached_features(files_, settings_, cache_, io::silent()); }
  std::string path() const { return cache_path(files_, settings_, cache_); }
  void expect_right(const CachedFeatures& result) {
    EXPECT_EQ(result.features.tokens, (std::vector<std::int32_t>{2, 20, 3, 4, 5, 6, 3}));
    EXPECT_EQ(result.features.rows, (std::vector<std::int64_t>{0, 7}));
    EXPECT_EQ(result.features.char_begins, (std::vector<std::int32_t>{0, 0, 0, 0, 2, 4, 0}));
    EXPECT_EQ(result.features.char_ends, (std::vector<std::int32_t>{0, 0, 0, 1, 3, 5, 0}));
    EXPECT_EQ(result.features.starts, (std::vector<std::int32_t>{4}));
    EXPECT_EQ(result.features.ends, (std::vector<std::int32_t>{4}));
  }

  phasor::test::TemporaryFolder folder_;
  SourceFiles files_ = {.data = folder_.file("train.json"), .vocab = folder_.file("vocab.txt")};
  FeatureSettings settings_ = {.keep_characters = true};
  std::string cache_ = folder_.file("cache/of/features");
};

TEST_F(SquadCacheTest, TheSecondTimeComesFromTheCache) {
  const CachedFeatures first = load();
  EXPECT_FALSE(first.from_cache);
  expect_right(first);
  const CachedFeatures second = load();
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.note + second.note, "");
  expect_right(second);
  // Nothing else is left in the folder.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(cache_), std::filesystem::directory_iterator()), 1);
}

TEST_F(SquadCacheTest, WithoutCharactersToo) {
  settings_.keep_characters = false;
  load();
  const CachedFeatures second = load();
  EXPECT_TRUE(second.from_cache);
  EXPECT_TRUE(second.features.char_begins.empty());
}

TEST_F(SquadCacheTest, TheNameFollowsFromEverythingThatCounts) {
  std::set<std::string> names = {path()};
  const auto expect_new = [&] { EXPECT_TRUE(names.insert(path()).second); };
  settings_ = {.sequence_length = 383, .keep_characters = true};
  expect_new();
  settings_ = {.document_stride = 127, .keep_characters = true};
  expect_new();
  settings_ = {.max_query_length = 63, .keep_characters = true};
  expect_new();
  settings_ = {.keep_characters = false};
  expect_new();
  std::ofstream(files_.vocab, std::ios::app) << "extra\n";
  expect_new();
  std::ofstream(files_.data, std::ios::app) << "\n";
  expect_new();
  // The same content under another name is the same.
  const std::string before = path();
  std::filesystem::rename(files_.data, folder_.file("other.json"));
  files_.data = folder_.file("other.json");
  EXPECT_EQ(path(), before);
}

TEST_F(SquadCacheTest, EveryTruncationIsMadeAnewAndSaid) {
  load();
  const auto size = std::filesystem::file_size(path());
  for (const auto bytes : {std::uintmax_t{0}, std::uintmax_t{10}, size / 2, size - 1}) {
    std::filesystem::resize_file(path(), bytes);
    const CachedFeatures again = load();
    EXPECT_FALSE(again.from_cache) << bytes;
    EXPECT_EQ(again.note.rfind("hdf5: '" + path() + "' ", 0), 0U) << again.note;
    EXPECT_TRUE(again.note.ends_with("; features are made anew")) << again.note;
    EXPECT_EQ(again.note.find('\n'), again.note.npos);
    expect_right(again);
    EXPECT_TRUE(load().from_cache);
  }
}

TEST_F(SquadCacheTest, ListsThatDoNotFitAreMadeAnew) {
  load();
  const std::int32_t one = 1;
  const std::int64_t too_few = 1;
  {
    auto file = io::Hdf5File::create(path());
    for (const char* name :
         {"/tokens", "/char_begins", "/char_ends", "/questions", "/context_begins", "/starts", "/ends"})
      file.write<std::int32_t>(name, {1}, std::span(&one, 1));
    file.write<std::int64_t>("/rows", {1}, std::span(&too_few, 1));
    file.set_attribute("/", "pad", std::int64_t{0});
  }
  const CachedFeatures again = load();
  EXPECT_EQ(again.note, "cache: '" + path() + "' holds lists that do not belong together; features are made anew");
  expect_right(again);
}

TEST_F(SquadCacheTest, AListWithoutItsSumIsMadeAnew) {
  load();
  {
    auto file = io::Hdf5File::open_to_update(path());
    file.write_elements<std::int32_t>("/tokens", 0, file.read<std::int32_t>("/tokens"));
  }
  const CachedFeatures again = load();
  EXPECT_EQ(again.note,
            "cache: '" + path() + "' '/tokens' has lost its sum. The file is damaged; features are made anew");
  expect_right(again);
}

TEST_F(SquadCacheTest, ACacheThatCannotBeWrittenIsDoneWithout) {
  std::ofstream(folder_.file("cache")) << "a file where the folder should be";
  const CachedFeatures result = load();
  EXPECT_FALSE(result.from_cache);
  EXPECT_TRUE(result.note.ends_with("; features are not kept")) << result.note;
  expect_right(result);
  cache_ = "";
  const CachedFeatures without = load();
  EXPECT_EQ(without.note, "");
  expect_right(without);
}

TEST_F(SquadCacheTest, ThePaddingOfTheVocabularyIsKept) {
  std::ofstream(files_.vocab) << "[UNK]\n[CLS]\n[SEP]\n[PAD]\na\n";
  EXPECT_EQ(load().features.pad, 3);
  const CachedFeatures again = load();
  EXPECT_TRUE(again.from_cache);
  EXPECT_EQ(again.features.pad, 3);
}

TEST_F(SquadCacheTest, WhatIsOutdatedOrTooMuchGoesAndTheRestStays) {
  namespace fs = std::filesystem;
  fs::create_directories(cache_);
  const std::string digits = "0123456789abcdef0123456789abcde";
  const auto put = [&](const std::string& name, int hours_ago) {
    const std::string path = cache_ + "/" + name;
    std::ofstream(path) << "x";
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours_ago));
  };
  const std::string current = fs::path(path()).filename().string().substr(0, std::string("squad-v3-").size());
  put("squad-" + digits + "0.h5", 1);            // of the first version
  put("squad-v1-" + digits + "0.h5", 1);         // of another
  put(current + digits + "0.h5.77.tmp", 30);     // left behind
  put(current + digits + "1.h5.78.tmp", 1);      // perhaps being written
  put("squad-notes.h5", 1000);                   // not ours
  put("squad-v1-" + digits + "0.h5.old", 1000);  // neither
  for (std::int64_t i = 0; i < kCachedFiles; ++i)
    put(fmt::format("{}{:032x}.h5", current, i), static_cast<int>(100 - i));  // the first is the oldest

  EXPECT_EQ(load().note, "");
  std::set<std::string> left;
  for (const fs::directory_entry& entry : fs::directory_iterator(cache_)) left.insert(entry.path().filename());
  std::set<std::string> expected = {current + digits + "1.h5.78.tmp", "squad-notes.h5",
                                    "squad-v1-" + digits + "0.h5.old", fs::path(path()).filename()};
  for (std::int64_t i = 1; i < kCachedFiles; ++i) expected.insert(fmt::format("{}{:032x}.h5", current, i));
  EXPECT_EQ(left, expected);
}

TEST_F(SquadCacheTest, ReadingAFileKeepsItAlive) {
  namespace fs = std::filesystem;
  load();
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1000);
  fs::last_write_time(path(), long_ago);
  load();
  EXPECT_GT(fs::last_write_time(path()), long_ago + std::chrono::hours(999));
}

TEST_F(SquadCacheTest, TheUsualFolder) {
  setenv("XDG_CACHE_HOME", "/x", 1);
  EXPECT_EQ(run::default_cache_directory(), "/x/phasor");
  setenv("XDG_CACHE_HOME", "relative", 1);
  setenv("HOME", "/h", 1);
  EXPECT_EQ(run::default_cache_directory(), "/h/.cache/phasor");
  unsetenv("XDG_CACHE_HOME");
  unsetenv("HOME");
  EXPECT_EQ(run::default_cache_directory(), "");
}

}  // namespace
}  // namespace phasor::squad
