#include "models/task_options/digits_options.h"

#include "engine/base/error.h"
#include "models/convnet/config.h"
#include "models/fields/alternatives.h"

namespace phasor::task_options {

void validate(const DigitsOptions&, const architecture::ModelConfig& model) {
  constexpr std::int64_t kDigits = 10;
  const auto* convnet = std::get_if<convnet::Config>(&model);
  check(convnet != nullptr, "data.task digits needs model.architecture convnet, not {}", fields::name_of(model));
  check(convnet->image_channels == 1, "model.image_channels {} is not 1: pictures of digits are grey",
        convnet->image_channels);
  check(convnet->classes >= kDigits, "model.classes {} is less than the {} digits", convnet->classes, kDigits);
}

}  // namespace phasor::task_options
