// Runs on letter files in a folder of the test's own, and what two of them have in common.
#pragma once

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "models/checkpoint/summary.h"
#include "tests/support/letter_files.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/trained_letters.h"

namespace phasor::run {

class Training : public ::testing::Test {
 protected:
  Training() { test::write_letter_files(folder_.path(), 50); }

  std::string train(const RunConfig& config, const std::string& name) {
    return test::train_squad(config, "", folder_.file(name)).checkpoint;
  }

  test::TemporaryFolder folder_;
};

struct Heard : io::Listener {
  void note(const std::string& text) override { notes.push_back(text); }
  void warning(const std::string& text) override { warnings.push_back(text); }
  std::vector<std::string> notes, warnings;
};

// "" if runs that go on from the two checkpoints end alike.
inline std::string difference(const std::string& a, const std::string& b) {
  const std::vector<Difference> differences = compare_checkpoints(a, b);
  return differences.empty() ? "" : differences[0].name + ": " + differences[0].facts;
}

// The steps and losses of a run's metrics.
inline std::string losses_of(const std::string& path) {
  std::string losses;
  std::ifstream log(path);
  for (std::string line; std::getline(log, line);) {
    const nlohmann::json metrics = nlohmann::json::parse(line);
    losses += metrics["step"].dump() + " " + metrics["loss"].dump() + "\n";
  }
  return losses;
}

}  // namespace phasor::run
