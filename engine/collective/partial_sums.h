// What a replica holds of a sum along the tree of tree_sum.h, of whose leaves it adds a run: the sums over the largest
// complete subtrees that its leaves so far form. Where a run begins and how long it is says which these are, so that
// nothing but the sums has to travel. They are few: two for every doubling of the run at most.
//
// Runs of equal length may have more leaves than there is something to add. Zeros behind the last leaf change no bit of
// the tree's sum, but -0 to 0: halves of them alone are 0, and whatever else they join stands to their left.
#pragma once

#include <span>
#include <vector>

#include "engine/collective/tree_sum.h"

namespace phasor {

// Leaves [first, end) of a tree, counted over all replicas. Every replica has a run of `leaves` leaves, by rank.
struct LeafRun {
  int first = 0, end = 0;

  static LeafRun of(int rank, int leaves) { return {rank * leaves, (rank + 1) * leaves}; }

  // The leaves of its first subtree: as many as a power of two that divides `first` and as fit.
  int first_subtree() const;
  int subtrees() const;
};

// The most subtrees that any of so many replicas ever holds while it adds its leaves one after the other, however many
// of them each replica has, up to `most_leaves`. O(replicas * most_leaves * log).
int most_partial_sums(int replicas, int most_leaves);

// Adds leaf number run.end to the partial sums of `run`, with which they become those of a run longer by one.
// `partials` has room for them side by side, each of as many elements as the leaf, in the order of the tree.
void add_leaf(std::span<float> partials, LeafRun run, std::span<const float> leaf);

// Appends the run's subtrees, whose sums are `partials`, each of so many elements.
void add_subtrees(std::vector<Subtree>& subtrees, LeafRun run, const float* partials, std::int64_t elements);

}  // namespace phasor
