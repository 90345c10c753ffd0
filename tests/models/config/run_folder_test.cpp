#include "models/config/run_folder.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "io/files/text_file.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

class RunFolderTest : public ::testing::Test {
 protected:
  std::set<std::string> names() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) names.insert(entry.path().filename());
    return names;
  }
  void put(const std::string& name) const { std::ofstream(path_ + "/" + name) << name; }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.file("runs/a");
};

using Names = std::set<std::string>;

TEST_F(RunFolderTest, IsMadeAndGoesWhereNothingBegan) {
  {
    const RunFolder folder(path_);
    EXPECT_TRUE(std::filesystem::is_directory(path_));
    EXPECT_EQ(folder.config(), std::nullopt);
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
  std::filesystem::create_directories(path_);
  { const RunFolder folder(path_); }
  EXPECT_TRUE(std::filesystem::exists(path_));  // it was somebody's
}

TEST_F(RunFolderTest, IsOneProcessesAtATime) {
  RunFolder folder(path_);
  EXPECT_TRUE(test::message_of([&] { RunFolder{path_}; }).starts_with("output folder '" + path_ + "' is in use by "));
}

TEST_F(RunFolderTest, ACheckpointElsewhereIsClaimedToo) {
  RunFolder a(path_), b(folder_.file("b"));
  const std::string checkpoint = folder_.file("elsewhere/weights.h5");
  a.claim_checkpoint(checkpoint);
  EXPECT_TRUE(test::message_of([&] {
                b.claim_checkpoint(checkpoint);
              }).starts_with("checkpoint.save '" + checkpoint + "' is in use by "));
}

TEST_F(RunFolderTest, BeginsWithItsConfiguration) {
  RunFolder folder(path_);
  folder.claim_checkpoint(path_ + "/checkpoint.h5");
  put("metrics.jsonl");
  folder.begin("model: {}\n");
  EXPECT_EQ(folder.config(), "model: {}\n");
  EXPECT_TRUE(names().contains("metrics.jsonl"));
}

TEST_F(RunFolderTest, StartingOverRemovesTheRunAndNothingElse) {
  RunFolder folder(path_);
  for (const char* name : {"config.yml", "metrics.jsonl", "evaluations.jsonl", "run.json", "trace.json", "report.html",
                           "arena.svg", "events.out.tfevents.1.host.2", "checkpoint.h5", "checkpoint-best.h5",
                           "checkpoint-00000020.h5", "notes.txt", "other.h5", "other-00000020.h5"}) {
    put(name);
  }
  folder.start_over();
  folder.claim_checkpoint(path_ + "/checkpoint.h5");
  EXPECT_TRUE(names().contains("checkpoint.h5"));  // until the new run begins
  folder.begin("new");
  EXPECT_EQ(names(), (Names{".lock", "config.yml", "notes.txt", "other.h5", "other-00000020.h5"}));
  EXPECT_EQ(folder.config(), "new");
}

TEST_F(RunFolderTest, WhatAKilledProcessWasWritingGoes) {
  RunFolder folder(path_);
  for (const char* name : {"config.yml.999999999.tmp", "metrics.jsonl.999999999.tmp", "notes.txt.999999999.tmp"})
    put(name);
  folder.claim_checkpoint(path_ + "/checkpoint.h5");
  folder.begin("new");
  EXPECT_EQ(names(), (Names{".lock", "config.yml", "notes.txt.999999999.tmp"}));
}

TEST_F(RunFolderTest, ThePlaceOfAFileIsRefused) {
  std::ofstream(folder_.file("file")) << "x";
  EXPECT_EQ(test::message_of([&] { RunFolder(folder_.file("file")); }),
            "output folder '" + folder_.file("file") + "' cannot be made: Not a directory");
}

}  // namespace
}  // namespace phasor::run
