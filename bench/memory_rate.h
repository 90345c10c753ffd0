// How fast memory is: the limit of kernels that compute little.
#pragma once

namespace phasor::bench {

// Bytes a second of the faster of y = x and y = x + s z, in the median run on this thread's team, where a run moves
// about `bytes`: each counted once where it is read and once where it is written. Small ones stay in a cache, as those
// of a kernel that moves as many do. McCalpin, STREAM, 1995.
double memory_bytes_per_second(double bytes);

}  // namespace phasor::bench
