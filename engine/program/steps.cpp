#include "engine/program/steps.h"

namespace phasor {

Step Steps::operator[](std::size_t i) const {
  const Entry& entry = entries_[i];
  Step step = actions_[static_cast<std::size_t>(entry.action)];
  step.row = entry.row;
  return step;
}

std::size_t Steps::Hash::operator()(const Step& step) const {
  constexpr std::uint64_t kOdd = 0x9e3779b97f4a7c15;
  std::uint64_t hash = static_cast<std::uint64_t>(step.kind);
  const auto mix = [&](std::int64_t number) { hash = (hash ^ static_cast<std::uint64_t>(number)) * kOdd ^ hash >> 32; };
  for (const std::int32_t number :
       {step.slot, step.link, step.target, step.buffer, step.call, step.micro_batch, step.turn, step.loop})
    mix(number);
  mix(step.offset);
  return hash;
}

Steps::Entry Steps::entry_of(const Step& step) {
  Step action = step;
  action.row = -1;
  const auto [found, is_new] = numbers_.try_emplace(action, static_cast<std::int32_t>(actions_.size()));
  if (is_new) actions_.push_back(action);
  return {found->second, step.row};
}

}  // namespace phasor
