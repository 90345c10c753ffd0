// How the ops are made smaller for a sample: one rule a kind of op. Each bounds both work and bytes, whatever the sizes
// are; what is small enough stays as it is.
#pragma once

#include "engine/program/simulate/node_sample.h"

namespace phasor {

// Products, with or without a bias or a sum.
void cut_product(NodeSample& sample, double most_flops);
// Sequence and head size stay if they can, and heads that the work can be shared out by.
void cut_attention(NodeSample& sample, double most_flops);
// Fewer images of a convolution or a pooling; where one is too large, fewer channels, then fewer pixels.
void cut_images(NodeSample& sample, double most_flops);
// Weights: they come from far.
void cut_pack(NodeSample& sample);
// The first samples, and the first rows of these. Vectors become long ones. Labels count up to the columns.
void cut_rows(NodeSample& sample);
// Likewise of what moves elements, in whatever shape: as a vector.
void cut_elements(NodeSample& sample);
// Fewer entries of a table and fewer ids. A slice stays the part of its table that it is. Tables come from far: few of
// their rows are used.
void cut_lookup(NodeSample& sample);
// Fewer entries, in whole blocks, and fewer tokens. A slice becomes the first of a smaller vocabulary.
void cut_vocabulary(NodeSample& sample, double most_flops);
// What has but a shape.

}  // namespace phasor
