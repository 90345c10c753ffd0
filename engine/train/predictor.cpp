#include "engine/train/predictor.h"

#include "engine/train/lowering.h"
#include "engine/train/prepare.h"

namespace phasor {

Predictor::Predictor(const Stages& stages, const ExecutionOptions& execution, Machine& machine)
    : stages_(prepare_stages(stages, execution.precision)),
      machine_(machine),
      runner_(std::make_unique<Runner>(lower_inference(stages_, execution), machine)),
      state_(std::make_unique<ModelState>(stages_, machine.memory, execution.rts_threshold)) {}

}  // namespace phasor
