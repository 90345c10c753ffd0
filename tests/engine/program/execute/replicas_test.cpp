#include "engine/program/execute/replicas.h"

#include <atomic>
#include <gtest/gtest.h>
#include <set>
#include <thread>

#include "engine/base/error.h"
#include "engine/base/parallel.h"
#include "tests/support/message.h"

namespace phasor::test {
namespace {

constexpr int kCounts[] = {1, 2, 3, 4, 7};

TEST(Replicas, EachWorksOnItsOwnThreadAndTeam) {
  for (int count : kCounts) {
    Replicas replicas(count, 2);
    std::vector<std::thread::id> first(count), second(count);
    std::vector<int> teams(count);
    replicas.run([&](int rank) {
      first[rank] = std::this_thread::get_id();
      teams[rank] = threads();
    });
    replicas.run([&](int rank) { second[rank] = std::this_thread::get_id(); });
    EXPECT_EQ(first, second);
    EXPECT_EQ(std::set(first.begin(), first.end()).size(), count);
    EXPECT_EQ(teams, std::vector(count, 2));
  }
}

TEST(Replicas, HaveAPlaceInTheGroup) {
  for (int count : kCounts) {
    Replicas replicas(count, 1);
    std::atomic<float> total = 0;
    replicas.run([&](int rank) {
      Communicator& communicator = replicas.communicator(rank);
      EXPECT_EQ(communicator.rank(), rank);
      EXPECT_EQ(communicator.size(), count);
      float value = static_cast<float>(rank + 1);
      communicator.all_reduce(std::span(&value, 1));
      if (rank == 0) total = value;
    });
    EXPECT_EQ(total, static_cast<float>(count * (count + 1)) / 2);
  }
}

TEST(Replicas, AnErrorIsRethrownAndNobodyHangs) {
  for (int count : kCounts) {
    for (int culprit = 0; culprit < count; ++culprit) {
      Replicas replicas(count, 1);
      std::atomic<int> told = 0;
      const auto work = [&](int rank) {
        check(rank != culprit, "replica {} fails", rank);
        try {
          for (;;) replicas.communicator(rank).barrier();  // waits for the culprit, which never comes
        } catch (const InternalError&) {
          ++told;
          throw;
        }
      };
      EXPECT_EQ(message_of([&] { replicas.run(work); }), fmt::format("replica {} fails", culprit));
      EXPECT_EQ(told, count - 1);
    }
  }
}

TEST(Replicas, AnErrorIsToldOnce) {
  for (int count : kCounts) {
    Replicas replicas(count, 1);
    EXPECT_THROW(replicas.run([](int) { throw UserError("no"); }), UserError);
    std::atomic<int> ran = 0;
    replicas.run([&](int) { ++ran; });
    EXPECT_EQ(ran, count);
  }
}

TEST(Replicas, NoWorkAtAll) {
  for (int count : kCounts) const Replicas replicas(count, 1);
}

}  // namespace
}  // namespace phasor::test
