// What the tests of the vocabulary kernels share: cases, and a run of all of them from x to the gradients, by the table
// whole or in slices.
#pragma once

#include <algorithm>

#include "engine/base/tensor.h"
#include "engine/kernels/vocabulary/vocabulary.h"
#include "tests/support/inputs.h"
#include "tests/support/stored.h"
#include "tests/support/teams.h"

namespace phasor::test {

using kernels::VocabularyInputs;
using kernels::VocabularyShape;

struct VocabularySizes {
  std::int64_t tokens, width, whole, block;
};
// Nothing, one entry; a vocabulary below and above a block, blocks that divide it and that do not; tokens below and
// above what a product takes at a time; odd widths, and those that operands are packed for.
inline constexpr VocabularySizes kVocabularySizes[] = {{0, 5, 7, 4},       {1, 1, 1, 4},       {7, 37, 100, 16},
                                                       {5, 3, 40, 512},    {300, 64, 450, 64}, {257, 64, 260, 128},
                                                       {1500, 8, 600, 512}};

// What is given; every number is a T. Every third token has no weight, whatever its label.
template <class T>
struct VocabularyCase {
  explicit VocabularyCase(const VocabularySizes& s, float largest = 4)
      : sizes(s),
        x(representable<T>(uniform(1, s.tokens * s.width, -largest, largest))),
        weight(representable<T>(uniform(2, s.whole * s.width))),
        labels(random_ids(3, s.tokens, static_cast<std::int32_t>(s.whole))),
        label_weights(uniform(4, s.tokens, 0.1f, 1)),
        dweight_before(uniform(5, s.whole * s.width)) {
    for (std::int64_t t = 0; t < s.tokens; t += 3) {
      label_weights[t] = 0;
      labels[t] = t % 2 == 0 ? -100 : std::numeric_limits<std::int32_t>::max();
    }
  }

  VocabularySizes sizes;
  Floats x, weight;
  Ids labels;
  Floats label_weights;
  Floats dweight_before;  // what the gradient is added to
  float dloss = -1.7f;
};

struct VocabularyResults {
  Floats sums, loss, dsums, dweight, dx;
  Floats all() const { return joined({sums, loss, dsums, dweight, dx}); }
};

// run(scratch) with so much scratch, full of NaN; what lies around it must not change.
template <class Run>
void with_guarded_scratch(std::int64_t bytes, Run run) {
  constexpr std::int64_t kGuard = 64;
  Buffer<std::byte> memory(bytes + 2 * kGuard, std::byte{0xFF});
  run(std::span(memory).subspan(kGuard, bytes));
  for (std::int64_t i = 0; i < kGuard; ++i) {
    ASSERT_EQ(memory[i], std::byte{0xFF});
    ASSERT_EQ(memory[memory.size() - 1 - i], std::byte{0xFF});
  }
}

// The table is a T, x an X. Slices of so many blocks; 0: the table whole. What pads the last slice is NaN, and its
// gradient stays as it is. Kernels are made for `workers`.
template <class T, class X = T>
VocabularyResults run_vocabulary(const VocabularyCase<T>& c, std::int64_t blocks_of_slice = 0, int workers = 0) {
  const auto [tokens, width, whole, block] = c.sizes;
  const std::int64_t entries = blocks_of_slice == 0 ? whole : blocks_of_slice * block;
  const std::int64_t slices = (whole + entries - 1) / entries;
  const VocabularyShape shape{.tokens = tokens,
                              .width = width,
                              .entries = entries,
                              .whole = whole,
                              .block = block,
                              .x = dtype_of<X>,
                              .weight = dtype_of<T>,
                              .products = {}};
  const int team = workers == 0 ? threads() : workers;
  const kernels::VocabularySums sums(shape, team);
  const kernels::VocabularyGradient gradient(shape, team);
  EXPECT_EQ(sums.scratch_bytes(), kernels::vocabulary_sums_scratch_bytes(shape, team));
  EXPECT_EQ(gradient.scratch_bytes(), kernels::vocabulary_gradient_scratch_bytes(shape, team));

  const Buffer<X> x = stored<X>(c.x);
  Floats padded = c.weight, dweight = c.dweight_before;
  padded.resize(slices * entries * width, NAN);
  dweight.resize(padded.size(), 0.5f);
  const Buffer<T> table = stored<T>(padded);
  const auto inputs = [&, width = width](std::int64_t slice) {
    return VocabularyInputs{
        .x = x.data(), .weight = table.data() + slice * entries * width, .labels = c.labels, .first = slice * entries};
  };

  VocabularyResults r{
      .sums = Floats(3 * tokens, NAN), .loss = {NAN}, .dsums = Floats(3 * tokens, NAN), .dweight = {}, .dx = {}};
  Floats before;
  for (std::int64_t slice = 0; slice < slices; ++slice) {
    with_guarded_scratch(sums.scratch_bytes(), [&](std::span<std::byte> scratch) {
      sums.run(inputs(slice), c.label_weights, before, r.sums, scratch);
    });
    before = r.sums;
  }
  kernels::vocabulary_loss(r.sums, c.label_weights, r.loss);
  kernels::vocabulary_loss_gradient(r.sums, c.label_weights, Floats{c.dloss}, r.dsums);

  Buffer<X> dx(x.size(), from_float<X>(NAN)), dx_sum;
  for (std::int64_t slice = slices - 1; slice >= 0; --slice) {
    const std::span<float> of_slice = std::span(dweight).subspan(slice * entries * width, entries * width);
    with_guarded_scratch(gradient.scratch_bytes(), [&](std::span<std::byte> scratch) {
      gradient.run(inputs(slice), r.dsums, dx_sum.empty() ? nullptr : dx_sum.data(), of_slice, dx.data(), scratch);
    });
    dx_sum = dx;
  }
  EXPECT_TRUE(std::all_of(dweight.begin() + whole * width, dweight.end(), [](float d) { return d == 0.5f; }));
  dweight.resize(whole * width);
  r.dweight = dweight;
  r.dx = loaded(dx);
  return r;
}

// The same in one: sums, dsums, dweight and dx.
inline Floats run_vocabulary_in_one(const VocabularyCase<float>& c, int workers) {
  const auto [tokens, width, whole, block] = c.sizes;
  const VocabularyShape shape{
      .tokens = tokens, .width = width, .entries = whole, .whole = whole, .block = block, .products = {}};
  const kernels::VocabularySumsWithGradient kernel(shape, workers);
  EXPECT_EQ(kernel.scratch_bytes(), kernels::vocabulary_sums_with_gradient_scratch_bytes(shape, workers));
  Floats sums(3 * tokens, NAN), dsums(3 * tokens, NAN), dweight = c.dweight_before, dx(c.x.size(), NAN);
  const VocabularyInputs inputs{.x = c.x.data(), .weight = c.weight.data(), .labels = c.labels};
  with_guarded_scratch(kernel.scratch_bytes(), [&](std::span<std::byte> scratch) {
    kernel.run(inputs, c.label_weights, Floats{c.dloss}, dweight, dx, sums, dsums, scratch);
  });
  return joined({sums, dsums, dweight, dx});
}

}  // namespace phasor::test
