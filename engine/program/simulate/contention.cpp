#include "engine/program/simulate/contention.h"

#include <algorithm>

namespace phasor {

namespace {

// What both of two lists of stretches cover, each in order.
double common_seconds(const std::vector<BusySpan>& a, const std::vector<BusySpan>& b) {
  double seconds = 0;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    seconds += std::max(0.0, std::min(a[i].end, b[j].end) - std::max(a[i].begin, b[j].begin));
    (a[i].end < b[j].end ? i : j) += 1;
  }
  return seconds;
}

// Times add up, not rates.
double blended(double alone, double together, double part) {
  return alone > 0 && together > 0 ? 1 / ((1 - part) / alone + part / together) : together;
}

LinkRate blended(const LinkRate& alone, const LinkRate& together, double part) {
  LinkRate link = together;
  link.latency_seconds = (1 - part) * alone.latency_seconds + part * together.latency_seconds;
  link.bytes_per_second = blended(alone.bytes_per_second, together.bytes_per_second, part);
  if (alone.measured.size() != together.measured.size()) return link;
  for (std::size_t i = 0; i < link.measured.size(); ++i) {
    link.measured[i].seconds = (1 - part) * alone.measured[i].seconds + part * together.measured[i].seconds;
  }
  return link;
}

}  // namespace

std::vector<double> overlaps(const PipelineSimulation& simulation) {
  std::vector<double> parts;
  for (const Simulation& device : simulation.devices) {
    double busy = 0, common = 0;
    for (const BusySpan& span : device.busy) busy += span.end - span.begin;
    for (const Simulation& other : simulation.devices) {
      if (&other != &device) common += common_seconds(device.busy, other.busy);
    }
    const auto others = static_cast<double>(simulation.devices.size()) - 1;
    parts.push_back(busy > 0 && others > 0 ? common / others / busy : 0);
  }
  return parts;
}

Rates between(const Rates& alone, const Rates& together, double part_together) {
  Rates rates = together;
  for (auto& [name, rate] : rates.nodes) {
    const auto found = alone.nodes.find(name);
    if (found != alone.nodes.end()) rate = blended(found->second, rate, part_together);
  }
  for (const auto link :
       {&Rates::clear, &Rates::load, &Rates::store, &Rates::gather, &Rates::reduce_scatter, &Rates::all_reduce}) {
    rates.*link = blended(alone.*link, together.*link, part_together);
  }
  return rates;
}

}  // namespace phasor
