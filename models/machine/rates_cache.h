// Keeps the rates that were measured on this machine for the next prediction.
#pragma once

#include <string>

#include "engine/program/simulate/rates.h"

namespace phasor::run {

// What rates hold for, besides the machine and the versions of what computes.
struct RatesKey {
  int replicas = 1, threads_per_replica = 1;
  std::string transfers;  // what moves rows to where
};

// The file in `directory` that belongs to the key on this machine; empty where the directory is.
std::string rates_path(const std::string& directory, const RatesKey& key);

// Empty rates where there is no such file, or none that can be read.
Rates read_rates(const std::string& path);

// Does nothing where the path is empty or cannot be written.
void keep_rates(const std::string& path, const Rates& rates);

}  // namespace phasor::run
