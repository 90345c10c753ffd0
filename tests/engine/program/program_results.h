// Runs a program for its results.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/program/execute/runner.h"

namespace phasor::test {

// All rows of all buffers, of floats, after steps of so many micro-batches in the store, and the end. The state and the
// host's rows are given before the first. Expects the measured peak to be the planned one, of which shorter steps
// alone may need less.
inline std::vector<float> results_of(const Program& program, Strategy strategy, std::unique_ptr<Store> store,
                                     const std::vector<int>& micro_batches_of_steps) {
  Machine machine(std::move(store), program.replicas, 1);
  Runner runner(program, machine, strategy);
  std::vector<float> values, results;
  const auto for_each_row = [&](auto&& visit) {
    for (const Buffer& buffer : program.buffers) {
      values.resize(static_cast<std::size_t>(buffer.spec.row.elements()));
      for (int replica = 0; replica < program.replicas; ++replica)
        for (std::int64_t row = 0; row < buffer.spec.rows; ++row) visit(buffer, replica, row);
    }
  };
  for_each_row([&](const Buffer& buffer, int replica, std::int64_t row) {
    if (buffer.origin == Origin::program) return;
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(static_cast<int>(i) % 7 - 3) / static_cast<float>(3 + row + 5 * replica);
    }
    machine.memory[buffer.spec.name].store(replica, row, std::span(values));
  });
  runner.run(Section::begin);
  for (int micro_batches : micro_batches_of_steps) runner.run(Section::step, micro_batches);
  runner.run(Section::end);
  EXPECT_LE(runner.high_water_bytes(), runner.plan().peak_bytes);
  if (std::ranges::count(micro_batches_of_steps, program.micro_batches) > 0) {
    EXPECT_EQ(runner.high_water_bytes(), runner.plan().peak_bytes);
  }
  for_each_row([&](const Buffer& buffer, int replica, std::int64_t row) {
    machine.memory[buffer.spec.name].load(replica, row, std::span(values));
    results.insert(results.end(), values.begin(), values.end());
  });
  return results;
}

// After two steps of all micro-batches, which use all the memory that is planned.
inline std::vector<float> results_of(const Program& program, Strategy strategy, std::unique_ptr<Store> store) {
  return results_of(program, strategy, std::move(store), {program.micro_batches, program.micro_batches});
}

}  // namespace phasor::test
