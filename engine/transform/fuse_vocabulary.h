// Joins a language model's loss with its gradient: both need the logits.
#pragma once

#include "engine/ir/graph.h"

namespace phasor {

// vocabulary_sums(x, weight, labels, label_weights), of which a vocabulary_gradient_add is made, becomes
// vocabulary_sums_with_gradient in the place of the latter; the loss comes behind it. Where the table is a slice or in
// bf16, or anything else needs the sums before, nothing changes. Results are the same to the bit; ids of values stay as
// they are.
Graph fuse_vocabulary(Graph graph);

}  // namespace phasor
