// Where the devices of a run wait for each other between steps that follow one another without the host.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace phasor {

class Meeting {
 public:
  explicit Meeting(int members) : members_(members) {}

  // Returns when all members have come as often as this one. What each wrote before is seen by all behind it.
  void wait();

  // Makes every wait under way and every later one throw InternalError: called where a device fails. Any thread.
  void abandon();

 private:
  int members_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int here_ = 0;
  std::int64_t round_ = 0;
  bool abandoned_ = false;
};

}  // namespace phasor
