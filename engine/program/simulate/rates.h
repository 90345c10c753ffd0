// How fast a machine does what programs are made of: what the simulator reckons with. Plain data, whether measured
// (calibration.h) or given.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace phasor {

struct TimedBytes {
  double bytes = 0, seconds = 0;
  friend bool operator==(const TimedBytes&, const TimedBytes&) = default;
};

// Something moves: a fixed time, then so many bytes a second. 0 bytes a second: no time at all for bytes. Caches and
// teams make neither small nor middling sizes obey that law: where some were measured, time is linear from nothing at
// the fixed time to the first, then from each to the next, and follows the law again beyond the last.
struct LinkRate {
  double latency_seconds = 0;
  double bytes_per_second = 0;
  std::vector<TimedBytes> measured{};  // of ascending sizes
  double cores = 0;                    // that it keeps busy while it lasts

  double seconds(double bytes) const;
  friend bool operator==(const LinkRate&, const LinkRate&) = default;
};

// What one replica does in a second while the others do the same.
struct Rates {
  int threads = 1;         // of the replica's team
  double spare_cores = 0;  // that the team leaves to others of the replica's threads
  // Work (node_sample.h) a second, by the name of the sample that stands for a node.
  std::map<std::string, double, std::less<>> nodes;
  // What nodes that have no entry there do in a second; 0: they take no time.
  double product_flops_per_second = 0, memory_bytes_per_second = 0;

  LinkRate clear;                               // slots
  LinkRate load, store;                         // rows of remote memory, alone on the link
  LinkRate gather, reduce_scatter, all_reduce;  // by the bytes of the whole tensor
  LinkRate message;                             // that is under way from device to device; its copies take time besides

  // Of devices that share a machine, the same of one while the others rest: one or none, which then makes no
  // difference.
  std::vector<Rates> alone{};
};

}  // namespace phasor
