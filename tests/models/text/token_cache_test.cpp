#include "models/text/token_cache.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <set>
#include <sys/wait.h>

#include "engine/base/parallel.h"
#include "io/files/text_file.h"
#include "models/text/token_store.h"
#include "tests/models/text/small_encoders.h"
#include "tests/models/text/text_files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::text {
namespace {

using namespace phasor::test;
namespace fs = std::filesystem;

class TokenCache : public testing::Test {
 protected:
  CachedTokens load(const TextEncoder& encoder) { return cached_tokens(files_, encoder, cache_, io::silent()); }
  CachedTokens load() { return load(encoder_); }
  std::string path() const { return token_cache_path(files_, encoder_, cache_); }
  std::string bytes() const { return io::read_file("test", path()); }

  void expect_right(const CachedTokens& result) {
    std::vector<std::int32_t> ids(7);
    ASSERT_EQ(result.tokens.tokens.size(), 7);
    result.tokens.tokens.copy(0, ids);
    EXPECT_EQ(ids, (std::vector<std::int32_t>{'a', 'b', 256, 'c', ' ', 'd', 256}));
    EXPECT_EQ(result.tokens.document_ends, (Ids{3, 7}));
    EXPECT_EQ(result.tokens.path, files_[0].path);
  }

  TemporaryFolder folder_;
  ByteEncoder encoder_;
  std::string cache_ = folder_.file("cache/of/text");
  std::vector<TextFile> files_ = {text_file(folder_.file("a.txt"), "ab<|endoftext|>c d")};
};

TEST_F(TokenCache, TheSecondTimeComesFromTheCache) {
  const CachedTokens first = load();
  EXPECT_FALSE(first.from_cache);
  expect_right(first);
  EXPECT_GT(encoder_.texts, 0);
  encoder_.texts = 0;
  const CachedTokens second = load();
  EXPECT_TRUE(second.from_cache);
  EXPECT_EQ(first.note + second.note, "");
  EXPECT_EQ(encoder_.texts, 0);
  expect_right(second);
  EXPECT_EQ(std::distance(fs::directory_iterator(cache_), fs::directory_iterator()), 1);
}

TEST_F(TokenCache, TokensTakeTheBytesThatTheVocabularyNeeds) {
  load();
  EXPECT_EQ(bytes().size(), 64U + 7 * 2 + 2 + 2 * 8);
  const ByteEncoder large(70000);
  const CachedTokens wide = load(large);
  EXPECT_EQ(wide.tokens.tokens.type(), io::TokenType::i32);
  EXPECT_EQ(load(large).from_cache, true);
  expect_right(load(large));
  EXPECT_EQ(load(ByteEncoder(65536)).tokens.tokens.type(), io::TokenType::u16);
  EXPECT_EQ(load(ByteEncoder(65537)).tokens.tokens.type(), io::TokenType::i32);
}

TEST_F(TokenCache, TheNameFollowsFromEverythingThatCounts) {
  std::set<std::string> names = {path()};
  const auto expect_new = [&] { EXPECT_TRUE(names.insert(path()).second); };
  encoder_.name = "other bytes";
  expect_new();
  encoder_.has_end = false;
  expect_new();
  files_[0].kind = TextKind::json_lines;
  expect_new();
  files_ = {text_file(folder_.file("a.txt"), "ab<|endoftext|>c d ")};
  expect_new();
  files_.push_back(text_file(folder_.file("b.txt"), "b"));
  expect_new();
  std::swap(files_[0], files_[1]);
  expect_new();
  // The same content under another name is the same.
  const std::string before = path();
  files_[0] = text_file(folder_.file("c.txt"), "b");
  EXPECT_EQ(path(), before);
}

TEST_F(TokenCache, EveryDamageIsMadeAnewAndSaid) {
  load();
  const std::string whole = bytes(), path = this->path();
  const auto expect_made_anew = [&](const std::string& damaged) {
    write_bytes(path, damaged);
    const CachedTokens again = load();
    EXPECT_FALSE(again.from_cache);
    EXPECT_EQ(again.note, "cache: '" + path + "' is damaged; tokens are made anew");
    expect_right(again);
    EXPECT_EQ(bytes(), whole);
    EXPECT_TRUE(load().from_cache);
  };
  for (std::size_t size = 0; size < whole.size(); ++size) expect_made_anew(whole.substr(0, size));
  expect_made_anew(whole + "x");
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] ^= 4;
    expect_made_anew(damaged);
  }
}

TEST_F(TokenCache, ACacheThatCannotBeWrittenIsDoneWithout) {
  write_bytes(folder_.file("cache"), "a file where the folder should be");
  const CachedTokens result = load();
  EXPECT_FALSE(result.from_cache);
  EXPECT_TRUE(result.note.ends_with("; tokens are not kept")) << result.note;
  expect_right(result);
  cache_ = "";
  const CachedTokens without = load();
  EXPECT_EQ(without.note, "");
  expect_right(without);
}

TEST_F(TokenCache, AMistakeInTheTextLeavesNothing) {
  files_ = {text_file(folder_.file("a.jsonl"), "{\"text\": \"a\"}\n{\"text\": 7}\n")};
  EXPECT_EQ(message_of([&] { load(); }),
            "text: '" + folder_.file("a.jsonl") + "' line 2 has a whole number as text, expected a string");
  EXPECT_TRUE(fs::is_empty(cache_));
}

TEST_F(TokenCache, ThreadsOfAnyNumberMakeTheSameFile) {
  std::string text;
  for (std::int64_t i = 0; text.size() < (5 << 20); ++i) text += fmt::format("word {} and more\n", i * 7919 % 10007);
  files_ = {text_file(folder_.file("a.txt"), text), text_file(folder_.file("b.jsonl"), "{\"text\": \"b\"}\n"),
            text_file(folder_.file("c.txt"), "c<|endoftext|>d")};
  const WordEncoder encoder;
  std::set<std::string> contents;
  for (const int count : {1, 2, 3}) {
    set_threads(count);
    EXPECT_FALSE(load(encoder).from_cache);
    const std::string path = token_cache_path(files_, encoder, cache_);
    contents.insert(io::read_file("test", path));
    fs::remove(path);
  }
  set_threads(1);
  EXPECT_EQ(contents.size(), 1U);
}

// All at once make what is missing: each gets what is right, and one file stays.
TEST_F(TokenCache, SeveralProcessesShareAFolder) {
  int start[2];
  ASSERT_EQ(pipe(start), 0);
  std::vector<pid_t> children;
  for (int i = 0; i < 4; ++i) {
    children.push_back(fork());
    if (children.back() != 0) continue;
    close(start[1]);
    char byte;
    [[maybe_unused]] const auto waited = read(start[0], &byte, 1);  // until the other end is closed
    const CachedTokens loaded = load();
    std::vector<std::int32_t> ids(7);
    loaded.tokens.tokens.copy(0, ids);
    _exit(ids == std::vector<std::int32_t>{'a', 'b', 256, 'c', ' ', 'd', 256} && loaded.note.empty() ? 0 : 1);
  }
  close(start[0]);
  close(start[1]);
  for (const pid_t child : children) {
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
  }
  EXPECT_TRUE(load().from_cache);
  EXPECT_EQ(std::distance(fs::directory_iterator(cache_), fs::directory_iterator()), 1);
}

// A full disk is found when a file is written, not when it is opened.
TEST(TokenStore, AFullDiskIsSaid) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "needs /dev/full";
  EXPECT_EQ(message_of([] {
              TokenStoreWriter writer("/dev/full", 257);
              writer.add(std::vector<std::int32_t>(100000));
            }),
            "cache: '/dev/full' cannot be written. Is the disk full?");
}

TEST_F(TokenCache, ReadingAFileKeepsItAlive) {
  load();
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(1000);
  fs::last_write_time(path(), long_ago);
  load();
  EXPECT_GT(fs::last_write_time(path()), long_ago + std::chrono::hours(999));
}

}  // namespace
}  // namespace phasor::text
