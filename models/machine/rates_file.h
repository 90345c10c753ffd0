// A machine that is not here, as a file describes it: what predictions reckon with instead of what is measured.
#pragma once

#include <string>

#include "engine/program/simulate/rates.h"

namespace phasor::run {

// A YAML file, of a device each:
//
//   flops: 1e14                                    # of matrix products, a second
//   memory: 800GiB                                 # read and written by everything else, a second
//   remote: {bandwidth: 24GiB, latency: 1e-5}      # rows of remote memory
//   link: {bandwidth: 48GiB, latency: 5e-6}        # messages between devices of a replica
//   collective: {bandwidth: 12GiB, latency: 2e-5}  # between replicas
//
// What is left out takes no time. Throws UserError where the file cannot be read or has other keys, or numbers that are
// no rates.
Rates read_machine(const std::string& path);

}  // namespace phasor::run
