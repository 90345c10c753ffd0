#include "engine/program/simulate/rates.h"

namespace phasor {

double LinkRate::seconds(double bytes) const {
  TimedBytes below{.bytes = 0, .seconds = latency_seconds};
  for (const TimedBytes& next : measured) {
    if (bytes <= next.bytes) {
      return below.seconds + (next.seconds - below.seconds) * (bytes - below.bytes) / (next.bytes - below.bytes);
    }
    below = next;
  }
  return below.seconds + (bytes_per_second > 0 ? (bytes - below.bytes) / bytes_per_second : 0);
}

}  // namespace phasor
