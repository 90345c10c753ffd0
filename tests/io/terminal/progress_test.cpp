#include "io/terminal/progress.h"

#include <algorithm>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <thread>
#include <vector>

#include "io/json/json_text.h"

namespace phasor::io {
namespace {

// What a display writes.
class Output {
 public:
  Output() : file_(std::tmpfile()) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;
  ~Output() { std::fclose(file_); }

  std::FILE* file() { return file_; }
  std::string text() {
    std::string content(static_cast<std::size_t>(std::ftell(file_)), ' ');
    std::rewind(file_);
    EXPECT_EQ(std::fread(content.data(), 1, content.size(), file_), content.size());
    return content;
  }

 private:
  std::FILE* file_;
};

const ProgressState kHalf = {
    .title = "train", .unit = "steps", .text = "loss 1.23", .total = 1000, .done = 500, .seconds = 100};

TEST(ProgressTest, Lines) {
  EXPECT_EQ(progress_bar_line(kHalf, 200),
            "train [============            ]  50%  500/1000 steps  5/s  1:40 left  loss 1.23");
  EXPECT_EQ(progress_bar_line(kHalf, 20), "train [============ ");
  EXPECT_EQ(progress_plain_line(kHalf), "train: 500/1000 steps (50%), 5/s, 1:40 left  loss 1.23");
  EXPECT_EQ(progress_end_line(kHalf), "train: 500 of 1000 steps in 100.0 s, 5/s  loss 1.23");
}

TEST(ProgressTest, ExtremesReadWell) {
  const ProgressState none = {.title = "a", .unit = "b", .total = 10};
  EXPECT_EQ(progress_plain_line(none), "a: 0/10 b (0%), 0/s, ? left");
  const ProgressState empty = {.title = "a", .unit = "b"};
  EXPECT_EQ(progress_end_line(empty), "a: 0 b in 0.0 s, 0/s");
  const ProgressState fast = {.title = "a", .unit = "b", .total = 30'000'000, .done = 12'345'678, .seconds = 1};
  EXPECT_EQ(progress_plain_line(fast), "a: 12345678/30000000 b (41%), 12.3M/s, 0:01 left");
  const ProgressState slow = {.title = "a", .unit = "b", .total = 1000, .done = 1, .seconds = 60};
  EXPECT_EQ(progress_plain_line(slow), "a: 1/1000 b (0%), 0.0167/s, 16:39:00 left");
  // Not 100 % before the end, and never more.
  const ProgressState almost = {.title = "a", .unit = "b", .total = 1000, .done = 999, .seconds = 1};
  EXPECT_EQ(progress_plain_line(almost), "a: 999/1000 b (99%), 999/s, 0:00 left");
  EXPECT_NE(progress_bar_line(almost, 200).find(" 99%"), std::string::npos);
  const ProgressState more = {.title = "a", .unit = "b", .total = 10, .done = 20, .seconds = 1};
  EXPECT_EQ(progress_plain_line(more), "a: 20/10 b (100%), 20/s, 0:00 left");
}

// One that ends short of its total would say "of".
TEST(ProgressTest, ParsingTellsEveryKibibyte) {
  for (const std::size_t size : {std::size_t{2}, std::size_t{65'536}, std::size_t{1'000'000}}) {
    Output output;
    {
      ProgressDisplay progress("reading", static_cast<std::int64_t>(size / 1024), "KiB", ProgressStyle::Lines,
                               output.file());
      parse_json("test", "a file", std::string(size - 1, ' ') + "1", "JSON", &progress);
    }
    const std::string text = output.text();
    EXPECT_EQ(text.find(" of "), std::string::npos) << text;
    EXPECT_NE(text.find(fmt::format("reading: {} KiB in ", size / 1024)), std::string::npos) << text;
  }
}

TEST(ProgressTest, PlainStyleWritesStartAndEnd) {
  Output output;
  {
    ProgressDisplay progress("read", 1000, "lines", ProgressStyle::Lines, output.file());
    for (int i = 0; i < 1000; ++i) progress.advance();
  }
  EXPECT_EQ(output.text().rfind("read: 1000 lines\nread: 1000 lines in 0.", 0), 0U);
}

TEST(ProgressTest, TerminalStyleRedrawsOneLineSeldom) {
  Output output;
  {
    ProgressDisplay progress("read", 100000, "lines", ProgressStyle::Terminal, output.file());
    for (int i = 0; i < 100000; ++i) progress.advance();
    progress.finish();
    progress.advance();
  }
  const std::string text = output.text();
  EXPECT_EQ(std::ranges::count(text, '\n'), 1);
  EXPECT_LT(std::ranges::count(text, '\r'), 20);
  EXPECT_NE(text.find("\r\x1b[Kread: 100000 lines in "), text.npos);
}

TEST(ProgressTest, QuietStyleWritesNothing) {
  Output output;
  {
    ProgressDisplay progress("read", 10, "lines", ProgressStyle::Quiet, output.file());
    progress.advance(10);
    progress.set_text("x");
  }
  EXPECT_EQ(output.text(), "");
}

TEST(TerminalListenerTest, WarningsAreHeardHoweverQuiet) {
  for (const ProgressStyle style : {ProgressStyle::Lines, ProgressStyle::Quiet}) {
    Output output;
    TerminalListener listener(style, output.file());
    listener.note("a note");
    listener.warning("a warning");
    listener.progress("read", 2, "lines")->advance(2);
    const std::string text = output.text();
    if (style == ProgressStyle::Quiet) {
      EXPECT_EQ(text, "a warning\n");
    } else {
      EXPECT_TRUE(text.starts_with("a note\na warning\nread: 2 lines\nread: 2 lines in ")) << text;
    }
  }
}

TEST(ListenerTest, HearsNothingAsItStands) {
  Listener listener;
  listener.note("a note");
  listener.warning("a warning");
  const auto progress = listener.progress("read", 2, "lines");
  ASSERT_NE(progress, nullptr);
  progress->advance();
  progress->set_text("x");
  progress->finish();
}

TEST(ProgressTest, AnyThreadMayAdvance) {
  Output output;
  {
    ProgressDisplay progress("read", 40000, "lines", ProgressStyle::Terminal, output.file());
    std::vector<std::jthread> team;
    for (int thread = 0; thread < 4; ++thread) {
      team.emplace_back([&] {
        for (int i = 0; i < 10000; ++i) {
          progress.advance();
          if (i % 1000 == 0) progress.set_text("thousand");
        }
      });
    }
  }
  EXPECT_NE(output.text().find("read: 40000 lines in "), std::string::npos);
}

}  // namespace
}  // namespace phasor::io
