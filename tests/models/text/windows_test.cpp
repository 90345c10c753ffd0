#include "models/text/windows.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "tests/io/token_files/token_bytes.h"
#include "tests/support/message.h"

namespace phasor::text {
namespace {

using test::Ids;
using Windows = std::vector<Window>;

TEST(Windows, OfSeparateDocuments) {
  const Ids ends = {7, 8, 10, 15};
  EXPECT_EQ(make_windows(ends, {.sequence = 4}), (Windows{{0, 4}, {4, 2}, {8, 1}, {10, 4}}));
  EXPECT_EQ(make_windows(ends, {.sequence = 100}), (Windows{{0, 6}, {8, 1}, {10, 4}}));
  EXPECT_EQ(make_windows(Ids{1, 2}, {.sequence = 4}), Windows{});
  EXPECT_EQ(make_windows({}, {.sequence = 4}), Windows{});
}

TEST(Windows, OfTheWholeStream) {
  const Ids ends = {7, 8, 10};
  const auto joined = [&](std::int64_t sequence) {
    return make_windows(ends, {.sequence = sequence, .documents = Documents::joined});
  };
  EXPECT_EQ(joined(4), (Windows{{0, 4}, {4, 4}, {8, 1}}));
  EXPECT_EQ(joined(3), (Windows{{0, 3}, {3, 3}, {6, 3}}));
  EXPECT_EQ(joined(9), (Windows{{0, 9}}));
}

TEST(Windows, AtAStride) {
  EXPECT_EQ(make_windows(Ids{10}, {.sequence = 4, .stride = 2}), (Windows{{0, 3, 0}, {2, 3, 1}, {4, 3, 1}, {6, 3, 1}}));
  EXPECT_EQ(make_windows(Ids{9}, {.sequence = 4, .stride = 3}), (Windows{{0, 3, 0}, {3, 3, 0}, {6, 2, 0}}));
  EXPECT_EQ(make_windows(Ids{10}, {.sequence = 4, .stride = 4}), (Windows{{0, 3, 0}, {4, 3, 0}, {8, 1, 0}}));
  EXPECT_EQ(make_windows(Ids{9}, {.sequence = 4, .stride = 4}), (Windows{{0, 3, 0}, {4, 3, 0}}));
  EXPECT_EQ(make_windows(Ids{3, 4, 9}, {.sequence = 4, .stride = 2}), (Windows{{0, 2, 0}, {4, 3, 0}, {6, 2, 1}}));
  EXPECT_EQ(make_windows(Ids{3, 4, 9}, {.sequence = 4, .documents = Documents::joined, .stride = 2}),
            (Windows{{0, 3, 0}, {2, 3, 1}, {4, 3, 1}, {6, 2, 1}}));
}

TEST(Windows, AStrideThatLeavesTokensOutIsRefused) {
  for (const std::int64_t stride : {-1, 5}) {
    EXPECT_EQ(test::message_of([&] { make_windows(Ids{10}, {.sequence = 4, .stride = stride}); }),
              fmt::format("text: a stride of {} leaves out tokens of windows of 4, expected 1 to 4", stride));
  }
}

// As it walks over a text of so many tokens: labels are those tokens of a window that lie behind the window before, and
// the model drops a label that is the first of its window.
Windows windows_of_the_guide(std::int64_t tokens, std::int64_t sequence, std::int64_t stride) {
  Windows windows;
  std::int64_t end_before = 0;
  for (std::int64_t begin = 0; begin < tokens; begin += stride) {
    const std::int64_t end = std::min(begin + sequence, tokens);
    std::vector<bool> is_label(static_cast<std::size_t>(end - begin));
    for (std::int64_t label = end_before; label < end; ++label)
      is_label[static_cast<std::size_t>(label - begin)] = true;
    is_label[0] = false;
    const auto labels = std::ranges::count(is_label, true);
    const std::int64_t predicting = end - begin - 1;
    if (labels > 0)
      windows.push_back({begin, static_cast<std::int32_t>(predicting), static_cast<std::int32_t>(predicting - labels)});
    end_before = end;
    if (end == tokens) break;
  }
  return windows;
}

TEST(Windows, AreThoseOfTransformersGuideToPerplexity) {
  for (std::int64_t tokens = 2; tokens < 40; ++tokens) {
    for (std::int64_t sequence = 2; sequence < 12; ++sequence) {
      for (std::int64_t stride = 1; stride <= sequence; ++stride) {
        EXPECT_EQ(make_windows(Ids{tokens}, {.sequence = sequence, .stride = stride}),
                  windows_of_the_guide(tokens, sequence, stride))
            << tokens << " tokens, " << stride << " of " << sequence;
      }
    }
  }
}

// How often each token is read, and how often it is a label that counts.
struct Coverage {
  std::vector<int> read, scored;
};
Coverage cover(const Ids& ends, const WindowSettings& settings) {
  Coverage coverage;
  coverage.read.resize(static_cast<std::size_t>(ends.back()));
  coverage.scored = coverage.read;
  for (const Window& window : make_windows(ends, settings)) {
    EXPECT_LE(window.tokens, settings.sequence);
    EXPECT_GT(window.labels(), 0);
    for (std::int32_t i = 0; i < window.tokens; ++i) {
      const auto token = static_cast<std::size_t>(window.first + i);
      ++coverage.read[token];
      if (i >= window.unscored) ++coverage.scored[token + 1];
    }
  }
  return coverage;
}

TEST(Windows, EveryTokenButADocumentsFirstIsALabelOnce) {
  for (const Ids& ends : {Ids{29}, Ids{1, 2, 4, 7, 8, 20, 21, 40}, Ids{12, 24}, Ids{2}, Ids{13}}) {
    for (std::int64_t sequence = 1; sequence <= 41; ++sequence) {
      for (const Documents documents : {Documents::separate, Documents::joined}) {
        std::vector<int> read(static_cast<std::size_t>(ends.back()), 1), label = read;
        const auto no_label = [&](std::int64_t token) { label[static_cast<std::size_t>(token)] = 0; };
        no_label(0);
        read.back() = 0;
        if (documents == Documents::separate) {
          for (const std::int64_t end : ends) {
            if (end < ends.back()) no_label(end);
            read[static_cast<std::size_t>(end) - 1] = 0;
          }
        }
        const Coverage trained = cover(ends, {.sequence = sequence, .documents = documents});
        EXPECT_EQ(trained.scored, label);
        EXPECT_EQ(trained.read, read);
        for (std::int64_t stride = 1; stride < sequence; ++stride) {
          EXPECT_EQ(cover(ends, {.sequence = sequence, .documents = documents, .stride = stride}).scored, label)
              << stride << " of " << sequence;
        }
      }
    }
  }
}

}  // namespace
}  // namespace phasor::text
