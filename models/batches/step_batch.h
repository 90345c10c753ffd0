// The samples of an optimizer step, dealt to the micro-batches of its replicas.
#pragma once

#include "engine/train/trainer.h"
#include "models/batches/packing.h"

namespace phasor::run {

// How the rows of a step are dealt: in turn to the replicas, to each as many micro-batches as to the others.
struct StepLayout {
  int replicas = 1;
  std::int64_t rows = 1;  // of a micro-batch
  RowRoom room{};

  // Of each replica, to hold so many rows.
  int micro_batches(std::int64_t all_rows) const;
};

// Hands deal(replica, micro-batch of the replica, its places) the micro-batches of each replica in turn, as many as are
// given. Places of all rows become those of a micro-batch.
template <class Deal>
void deal_micro_batches(std::span<Place> places, const StepLayout& layout, int micro_batches, Deal deal) {
  auto next = places.begin();
  for (int replica = 0; replica < layout.replicas; ++replica) {
    for (int m = 0; m < micro_batches; ++m) {
      const std::int64_t first_row = (std::int64_t{replica} * micro_batches + m) * layout.rows;
      const auto begin = next;
      for (; next != places.end() && next->row < first_row + layout.rows; ++next) {
        next->row -= first_row;
        next->number -= first_row;
      }
      deal(replica, m, std::span<const Place>(begin, next));
    }
  }
}

// Makes `chosen`, one sample at least, the trainer's next batch; returns how many micro-batches of each replica it
// takes. A label weighs 1 / labels of all of them. `tensors` are the trainer's, and overwritten.
int write_step(const Samples& samples, std::span<const std::int64_t> chosen, const StepLayout& layout,
               BatchTensors& tensors, Trainer& trainer);

}  // namespace phasor::run
