// Features as the dense tensors of a micro-batch; shapes and meaning as models/bert/stages.h has them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/train/trainer.h"
#include "models/squad/features.h"

namespace phasor::run {

struct DenseBatch {
  std::vector<std::int32_t> input_ids, token_type_ids;
  std::vector<float> mask;
  std::vector<std::int32_t> labels;
  std::vector<float> label_weights;

  // Sample i is features[chosen[i]], padded to `sequence` tokens. Labels of the first `counted` samples get
  // `label_weight`, those of the others, which only fill their places, 0.
  void fill(const SquadFeatures& features, std::span<const std::int64_t> chosen, std::int64_t sequence,
            float label_weight, std::int64_t counted);
  // The same, where all count.
  void fill(const SquadFeatures& features, std::span<const std::int64_t> chosen, std::int64_t sequence,
            float label_weight) {
    fill(features, chosen, sequence, label_weight, std::ssize(chosen));
  }

  // Makes it the trainer's next batch for that replica's micro-batch.
  void write(Trainer& trainer, int replica, int micro_batch) const;
};

}  // namespace phasor::run
