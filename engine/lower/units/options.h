// How a model is trained and how the training is executed. Only the former changes what is computed.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/ir/attributes.h"

namespace phasor {

enum class OptimizerKind : std::uint8_t {
  adam,
  lamb,       // Adam whose steps are as long as a variable's weights are large (kernels/optimizers/lamb.h)
  descent,    // with momentum, where that is not 0
  adafactor,  // second moments as means of rows and columns (kernels/optimizers/adafactor.h)
};

struct OptimizerOptions {
  OptimizerKind kind = OptimizerKind::adam;
  double beta1 = 0.9, beta2 = 0.999;
  float eps = 1e-6f;
  float weight_decay = 0.01f;
  bool decoupled_weight_decay = true;  // AdamW; else the decay joins the gradient (Adam with L2)
  bool bias_correction = false;
  bool stochastic_rounding = false;  // with bfloat16: weights have no float32 master; updates are rounded at random
  float max_grad_norm = 0;           // of the whole model's gradient; 0: no clipping
  float momentum = 0.9f;             // of descent
  bool nesterov = false;             // likewise
  // Each stage instance learns at the rate of the one behind it times this; 1: all at one rate.
  double layer_decay = 1;

  // Whether it keeps a mean of gradients, and one of their squares.
  bool keeps_moment1() const {
    return kind == OptimizerKind::descent ? momentum > 0 : kind != OptimizerKind::adafactor;
  }
  bool keeps_moment2() const { return kind != OptimizerKind::descent; }
};

enum class Mode : std::uint8_t {
  phased,      // a stage at a time; everything else in remote buffers
  monolithic,  // the whole model as one graph, everything resident
};

enum class Recompute : std::uint8_t {
  none,   // activations are kept for the backward pass, but for what is cheaper to make again than to move
  layer,  // each stage's are made again from its input
};

// What the model computes in. Sums, norms, softmax, losses and the optimizer are in float32 always.
enum class Precision : std::uint8_t { float32, bfloat16 };

// In which order a device of several passes micro-batches forward and backward through what it has of the model.
enum class PipelineSchedule : std::uint8_t {
  sequential,   // all devices with one group of micro-batches, one after the other
  gpipe,        // all groups forward, then all backward
  one_f_one_b,  // backward as soon as may be: as few groups under way as keep all devices busy
  interleaved,  // the same with several parts of the model a device
};

struct PipelineOptions {
  int devices = 1;  // of a replica
  PipelineSchedule schedule = PipelineSchedule::one_f_one_b;
  int parts = 2;  // a device, interleaved
  int group = 0;  // micro-batches that pass through a part together; 0: as suits (schedule.h)
  // Of each part the first stage instance, where a sliced stage counts as one; none: parts of about equal cost.
  std::vector<int> first_instances;
  int instances = 0;  // that they share, where they are given
};

struct ExecutionOptions {
  Mode mode = Mode::phased;
  int replicas = 1;
  int accumulation = 1;               // micro-batches a replica and step
  int device_iterations = 1;          // steps that the host prepares at a time, and that run without it
  std::int64_t rts_threshold = 1024;  // variables of this many elements and up are sharded over the replicas
  Recompute recompute = Recompute::layer;
  int kept_stages = 0;  // with Recompute::layer: so many stage instances, the last in front of the loss, keep theirs
  bool reproducible = false;    // sums over all micro-batches as one tree, however replicas x accumulation divide them
  int threads_per_replica = 1;  // of the team of each of its devices
  Precision precision = Precision::float32;
  Products products = Products::automatic;
  bool pack_weights = true;        // for their products, once a phase; false: only where bits depend on it
  std::int64_t device_memory = 0;  // bytes that the plan of a replica may take; 0: any number
  // Elements of a variable that phased execution updates at a time; a multiple of it where a variable is very large.
  std::int64_t update_slice = 1 << 17;
  int prefetch_depth = 1;  // phases that transfers run ahead of compute; 0: none
  int loop_overlap = 1;    // calls that those of micro-batches and of slices of updates do
  bool zero_copy = false;  // rows are used where they lie, which is in this process's memory (mapping/map_rows.h)
  PipelineOptions pipeline{};
};

}  // namespace phasor
