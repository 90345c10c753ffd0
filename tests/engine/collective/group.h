// Runs work on every member of a group, each on a thread of its own.
#pragma once

#include <functional>
#include <thread>
#include <vector>

#include "engine/collective/communicator.h"

namespace phasor::test {

inline void run_members(ThreadGroup& group, int members, const std::function<void(Communicator&, int rank)>& work) {
  std::vector<std::jthread> threads;
  for (int rank = 0; rank < members; ++rank) {
    threads.emplace_back([&, rank] { work(group.member(rank), rank); });
  }
}

// Also, for a group of one, on the communicator that is made for it.
inline void run_group(int members, const std::function<void(Communicator&, int rank)>& work) {
  ThreadGroup group(members);
  run_members(group, members, work);
  if (members == 1) work(*single_communicator(), 0);
}

}  // namespace phasor::test
