// What a program does at a time.
#pragma once

#include <cstdint>

namespace phasor {

enum class StepKind : std::uint8_t {
  load,            // buffer row, or as much of it as the slot holds -> slot
  store,           // slot -> buffer row, or a part of it
  gather,          // slot -> target, the replicas' slots side by side
  reduce_scatter,  // slot -> target, this replica's part of the sum over replicas
  all_reduce,      // slot := the sum over replicas; where slots are partial sums, slot -> target
  add_leaf,        // slot, the micro-batch's sum -> target, the replica's partial sums; micro-batch 0 begins them
  zero,            // slot := 0
  call,            // a graph on slots
  wait,            // ends the transfers of the slot that are under way
  send,            // slot, or a part of it -> link
  receive,         // link -> slot, or a part of it
};

// A transfer, load or store, is done when its step is, unless the step only issues it: then it is under way until the
// slot's next wait. A slot that is being loaded may not be touched before that. One that is being stored may be read,
// and transferred again through the same queue, but not otherwise be written.
struct Step {
  StepKind kind{};
  std::int32_t slot = -1;    // all but call
  std::int32_t link = -1;    // send, receive
  std::int32_t target = -1;  // gather, reduce_scatter, all_reduce of partial sums, add_leaf: a slot
  std::int32_t buffer = -1;  // load, store
  std::int32_t row = -1;     // load, store; send, receive: which message of the link it is, for proofs
  // load, store: where in the row the slot's part of it begins, in bytes. send, receive: where in the slot the message
  // does; those of a slot follow one another from its beginning on.
  std::int64_t offset = 0;
  std::int32_t call = -1;  // call
  // Of the micro-batch that the step serves, or -1: it serves all. A run of n micro-batches leaves out the steps of
  // number n and of those behind it, wherever they stand.
  std::int32_t micro_batch = -1;
  std::int32_t turn = -1;  // of the unrolled loop in which it stands, over micro-batches or slices; -1: in none
  std::int32_t loop = 0;   // which of the phase's loops that is
  bool issues = false;     // load, store
  // reduce_scatter, all_reduce: whether what is summed are partial sums (collective/partial_sums.h), to which each
  // replica has added a leaf for every micro-batch of the run. How many of them it holds depends on its rank and on the
  // run, the steps do not.
  bool partials = false;
  friend bool operator==(const Step&, const Step&) = default;
};

}  // namespace phasor
