// How fast a machine does what programs are made of: what the simulator reckons with. Plain data, whether measured
// (calibration.h) or given.
#pragma once

#include <map>
#include <string>

namespace phasor {

// Something moves: a fixed time, then so many bytes a second. 0 bytes a second: no time at all for bytes.
struct LinkRate {
  double latency_seconds = 0;
  double bytes_per_second = 0;

  double seconds(double bytes) const { return latency_seconds + (bytes_per_second > 0 ? bytes / bytes_per_second : 0); }
};

// Of one replica while the others do the same.
struct Rates {
  int threads = 1;  // of the replica's team
  // Work (plan/node_sample.h) a second, by the name of the sample that stands for a node.
  std::map<std::string, double, std::less<>> nodes;
  // Of nodes that have no entry there; 0: they take no time.
  double product_flops_per_second = 0, memory_bytes_per_second = 0;

  LinkRate clear;                               // slots
  LinkRate load, store;                         // rows of remote memory, alone on the link
  LinkRate gather, reduce_scatter, all_reduce;  // by the bytes of the whole tensor
};

}  // namespace phasor
