// What an IPUConfig asks for, as keys of a run.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "io/listener/listener.h"
#include "models/ipu_config/ipu_config.h"
#include "models/ipu_config/stage_parts.h"

namespace phasor::ipu {

// What a run needs to know to be asked.
struct RunFacts {
  std::int64_t micro_batch_size = 1;     // samples
  std::optional<LayerStack> stack = {};  // of the model, where it has layers
};

struct RunSettings {
  std::map<std::string, std::string> keys;
  std::vector<std::string> notes;  // what is as it is here, whatever the file says, and what it means here
};

// Throws Incompatible, with the reason, where a field asks for what there is not.
RunSettings to_settings(const IpuConfig& config, const RunFacts& facts, Use use = Use::training);

// The overrides of a run's configuration with what the file, or the folder, asks for. A key that is given wins, but
// where it contradicts the product of a batch: a UserError that shows the arithmetic. What there is to say the listener
// hears.
std::map<std::string, std::string> with_ipu_config(const std::string& source,
                                                   const std::map<std::string, std::string>& overrides,
                                                   const std::string& path, io::Listener& listener);

}  // namespace phasor::ipu
