#include "engine/program/calibrate/measurement_rounds.h"

#include <algorithm>

namespace phasor {

namespace {

constexpr int kRounds = 5;

double median(std::vector<double> seconds) {
  const auto middle = seconds.begin() + static_cast<std::ptrdiff_t>(seconds.size() / 2);
  std::ranges::nth_element(seconds, middle);
  return *middle;
}

}  // namespace

std::vector<double> medians_of_rounds(int pieces, Communicator& members, const std::function<double(int)>& seconds_of) {
  std::vector<std::vector<double>> seconds(static_cast<std::size_t>(pieces));
  for (int round = 0; round < kRounds; ++round) {
    for (int piece = 0; piece < pieces; ++piece) {
      members.barrier();
      seconds[piece].push_back(seconds_of(piece));
    }
  }
  std::vector<double> result;
  for (std::vector<double>& of_piece : seconds) result.push_back(median(std::move(of_piece)));
  return result;
}

}  // namespace phasor
