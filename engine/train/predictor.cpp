#include "engine/train/predictor.h"

#include "engine/train/lowering.h"

namespace phasor {

Predictor::Predictor(Stages stages, const ExecutionOptions& execution, Machine& machine)
    : stages_(std::move(stages)),
      machine_(machine),
      runner_(std::make_unique<Runner>(lower_inference(stages_, execution), machine)),
      state_(std::make_unique<ModelState>(stages_, machine.memory, execution.rts_threshold)) {}

}  // namespace phasor
