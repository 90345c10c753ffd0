#include "engine/lower/schedule.h"

#include <algorithm>

#include "engine/lower/parts.h"

namespace phasor {

namespace {

class Scheduler {
 public:
  Scheduler(const ExecutionOptions& execution, int device)
      : devices_(execution.pipeline.devices),
        device_(device),
        parts_(count_parts(execution.pipeline) / devices_),
        micro_batches_(execution.accumulation),
        group_(group_of(execution)),
        groups_((micro_batches_ + group_ - 1) / group_) {}

  std::vector<Task> run(PipelineSchedule schedule) {
    switch (schedule) {
      case PipelineSchedule::sequential:
        for (int group = 0; group < groups_; ++group) {
          add(0, false, group);
          add(0, true, group);
        }
        break;
      case PipelineSchedule::gpipe:
        for (int group = 0; group < groups_; ++group) add(0, false, group);
        for (int group = 0; group < groups_; ++group) add(0, true, group);
        break;
      case PipelineSchedule::one_f_one_b:
        alternate(devices_ - 1 - device_);
        break;
      case PipelineSchedule::interleaved:
        alternate(2 * (devices_ - 1 - device_) + (parts_ - 1) * devices_);
        break;
    }
    return std::move(tasks_);
  }

 private:
  void add(int part, bool backward, int group) {
    tasks_.push_back({.part = part * devices_ + device_,
                      .backward = backward,
                      .first = group * group_,
                      .end = std::min(micro_batches_, (group + 1) * group_)});
  }

  // Number i of all that pass forward through the device's parts: as many groups as there are devices through the
  // first part, then the same through the next (Narayanan et al., "Efficient Large-Scale Language Model Training on GPU
  // Clusters Using Megatron-LM", 2021). Backward the same, from the last part on.
  void add_in_turn(int i, bool backward) {
    const int round = i / (devices_ * parts_), first = round * devices_;
    const int together = std::min(devices_, groups_ - first), inside = i - round * devices_ * parts_;
    const int part = inside / together;
    add(backward ? parts_ - 1 - part : part, backward, first + inside % together);
  }

  // Backward follows forward behind so many more of them.
  void alternate(int ahead) {
    const int all = groups_ * parts_, first = std::min(all, ahead);
    for (int i = 0; i < first; ++i) add_in_turn(i, false);
    for (int i = first; i < all; ++i) {
      add_in_turn(i, false);
      add_in_turn(i - first, true);
    }
    for (int i = all - first; i < all; ++i) add_in_turn(i, true);
  }

  int devices_, device_, parts_, micro_batches_, group_, groups_;
  std::vector<Task> tasks_;
};

}  // namespace

int group_of(const ExecutionOptions& execution) {
  const int all = execution.accumulation;
  if (execution.pipeline.devices == 1) return all;
  if (execution.pipeline.group > 0) return std::min(all, execution.pipeline.group);
  if (execution.mode == Mode::monolithic) return 1;
  // Partial sums stay on the device with those whose they are; and what is sequential gains nothing by small groups.
  if (execution.reproducible || execution.pipeline.schedule == PipelineSchedule::sequential) return all;
  constexpr int kGroupsOfDevice = 4;
  return std::max(1, all / (kGroupsOfDevice * execution.pipeline.devices));
}

std::vector<Task> schedule_tasks(const ExecutionOptions& execution, int device) {
  return Scheduler(execution, device)
      .run(execution.pipeline.devices == 1 ? PipelineSchedule::gpipe : execution.pipeline.schedule);
}

std::vector<Task> schedule_forward(const ExecutionOptions& execution, int device) {
  std::vector<Task> tasks = schedule_tasks(execution, device);
  std::erase_if(tasks, [](const Task& task) { return task.backward; });
  return tasks;
}

}  // namespace phasor
