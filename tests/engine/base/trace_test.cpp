#include "engine/base/trace.h"

#include <gtest/gtest.h>
#include <set>
#include <thread>

namespace phasor {
namespace {

TEST(TraceSink, KeepsTheLastSpansInTheOrderOfTheirBegin) {
  TraceSink sink(3);
  EXPECT_TRUE(sink.spans().empty());
  sink.record(0, 5, 6);
  sink.record(1, 30, 40);
  EXPECT_EQ(sink.spans().size(), 2U);
  sink.record(2, 20, 50);
  sink.record(3, 10, 60);
  const std::vector<TraceSpan> spans = sink.spans();
  ASSERT_EQ(spans.size(), 3U);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(spans[static_cast<std::size_t>(i)].what, 3 - i);
    EXPECT_EQ(spans[static_cast<std::size_t>(i)].begin, 10 * (i + 1));
    EXPECT_EQ(spans[static_cast<std::size_t>(i)].end, 60 - 10 * i);
  }
}

TEST(TraceSink, AnyThreadMayRecord) {
  constexpr int kThreads = 4, kEach = 1000;
  TraceSink sink(kThreads * kEach);
  {
    std::vector<std::jthread> team;
    for (int thread = 0; thread < kThreads; ++thread) {
      team.emplace_back([&sink, thread] {
        for (int i = 0; i < kEach; ++i) sink.record(thread * kEach + i, i, i + 1);
      });
    }
  }
  std::set<int> seen;
  for (const TraceSpan& span : sink.spans()) seen.insert(span.what);
  EXPECT_EQ(seen.size(), static_cast<std::size_t>(kThreads * kEach));
}

TEST(TraceScope, RecordsItsLifetime) {
  TraceSink sink(2);
  const std::int64_t before = TraceSink::now();
  {
    const TraceScope outer({&sink, 7});
    const TraceScope nowhere(TraceMark{});
  }
  const std::int64_t after = TraceSink::now();
  ASSERT_EQ(sink.spans().size(), 1U);
  const TraceSpan span = sink.spans()[0];
  EXPECT_EQ(span.what, 7);
  EXPECT_LE(before, span.begin);
  EXPECT_LE(span.begin, span.end);
  EXPECT_LE(span.end, after);
}

}  // namespace
}  // namespace phasor
