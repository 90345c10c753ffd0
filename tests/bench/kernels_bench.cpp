// Every kernel on the shapes of BERT base, on one thread and on all. Each case is compared with its reference before
// anything is timed. Google Benchmark's flags apply: --benchmark_filter=attention --benchmark_format=json
#include <benchmark/benchmark.h>
#include <cmath>
#include <fmt/format.h>
#include <thread>

#include "engine/base/parallel.h"
#include "tests/bench/kernel_case.h"

namespace {

using namespace phasor;

// Enough to tell right from wrong. The tests are the strict ones.
bool verified(const bench::Case& c) {
  c.run();
  const bench::Doubles expected = c.expected(), results = c.results();
  double largest = 0, error = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    error = std::max(error, std::abs(results[i] - expected[i]));
  }
  if (error <= c.tolerance * largest) return true;
  fmt::print(stderr, "{}: off by {}, the largest result is {}\n", c.name, error, largest);
  return false;
}

void time_case(benchmark::State& state, const bench::Case& c, int team) {
  set_threads(team);
  for (auto _ : state) {
    c.run();
    benchmark::ClobberMemory();
  }
  state.counters[c.unit] = benchmark::Counter(c.work * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

}  // namespace

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  std::vector<bench::Case> cases = bench::product_cases();
  for (auto& more : {bench::row_cases(), bench::element_cases()}) cases.insert(cases.end(), more.begin(), more.end());
  for (const bench::Case& c : cases)
    if (!verified(c)) return 1;

  const int all = static_cast<int>(std::thread::hardware_concurrency());
  for (const bench::Case& c : cases)
    for (int team : {1, all})
      benchmark::RegisterBenchmark(fmt::format("{}/threads:{}", c.name, team).c_str(), time_case, c, team)
          ->UseRealTime()
          ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
