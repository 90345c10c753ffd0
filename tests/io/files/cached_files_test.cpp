#include "io/files/cached_files.h"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <set>

#include "tests/support/temporary_folder.h"

namespace phasor::io {
namespace {

namespace fs = std::filesystem;

constexpr CachedKind kKind{.kind = "text", .version = 2, .ending = "tokens", .most = 2};

TEST(CachedFiles, AreNamedAfterWhatTheyWereMadeOf) {
  const std::string path = cached_path(kKind, "/cache", "inputs");
  EXPECT_TRUE(path.starts_with("/cache/text-v2-")) << path;
  EXPECT_EQ(path.size(), std::string("/cache/text-v2-.tokens").size() + 32);
  EXPECT_EQ(cached_path(kKind, "/cache", "inputs"), path);
  EXPECT_NE(cached_path(kKind, "/cache", "Inputs"), path);
}

TEST(CachedFiles, OfOtherKindsStay) {
  const test::TemporaryFolder folder;
  const auto put = [&](const std::string& path, int hours_ago) {
    std::ofstream(path) << "x";
    fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::hours(hours_ago));
    return path;
  };
  const auto of = [&](const CachedKind& kind, const char* inputs) { return cached_path(kind, folder.path(), inputs); };
  constexpr CachedKind kOlder{.kind = "text", .version = 1, .ending = "tokens"};
  constexpr CachedKind kOther{.kind = "squad", .version = 1, .ending = "h5"};
  put(of(kOlder, "a"), 1);
  put(of(kKind, "a") + ".77.tmp", 30);
  put(of(kKind, "oldest"), 4);
  const std::set<std::string> expected = {put(of(kOther, "a"), 1000), put(of(kKind, "a"), 3), put(of(kKind, "b"), 2),
                                          put(of(kKind, "a") + ".78.tmp", 1), put(folder.file("notes.tokens"), 1000)};
  clean_cache(kKind, folder.path());
  std::set<std::string> left;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.path())) left.insert(entry.path());
  EXPECT_EQ(left, expected);

  mark_used(of(kKind, "a"));
  put(of(kKind, "c"), 1);
  clean_cache(kKind, folder.path());
  EXPECT_TRUE(fs::exists(of(kKind, "a")));
  EXPECT_FALSE(fs::exists(of(kKind, "b")));
}

}  // namespace
}  // namespace phasor::io
