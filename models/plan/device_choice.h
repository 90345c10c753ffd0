// Fits a run into its budget of device memory: chooses what the configuration leaves open, or says why nothing fits.
#pragma once

#include <functional>
#include <string>

#include "engine/base/error.h"
#include "engine/program/simulate/rates.h"
#include "models/plan/planned_run.h"

namespace phasor::run {

// Nothing fits. Its message is a screen of lines instead of one.
class DeviceTooSmall : public UserError {
 public:
  using UserError::UserError;
};

struct DeviceChoice {
  RunConfig config;  // with recompute, prefetch_depth and embedding_serialization_factor decided
  std::string note;  // what was chosen, what it takes, and what 100 MiB more would buy; "" where nothing was open
};

// The rates of this machine for a program: asked only where several choices fit.
using RatesOf = std::function<Rates(const RunConfig&, const PlannedRun&)>;

// Of the choices that are open, the one whose predicted step is the shortest among those that fit into
// execution.device_memory; without a budget activations are kept, transfers run ahead as the store likes it, and the
// embedding is whole. Throws DeviceTooSmall (refusal) where none fits. Bits do not depend on the choice.
DeviceChoice choose_for_device(const RunConfig& config, const RatesOf& rates_of);

// One screen: what holds the room at the peak of `run`, which `config` describes and which does not fit, and for each
// single change that helps, the peak with it; those that fit come first.
std::string refusal(const RunConfig& config, const PlannedRun& run);

}  // namespace phasor::run
