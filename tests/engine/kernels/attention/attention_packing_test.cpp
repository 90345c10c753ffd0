// A sample's results are the same bits wherever in the rows it stands.
#include "engine/kernels/attention/attention.h"
#include "tests/engine/kernels/attention/attention_inputs.h"
#include "tests/support/teams.h"

namespace phasor::kernels {
namespace {

using namespace phasor::test;

constexpr AttentionShape kShape{.heads = 2, .head_size = 8, .dropout_probability = 0.3f, .site = 3};
constexpr std::int32_t kSequence = 391, kSample = 5;
constexpr std::int64_t kWidth = kShape.heads * kShape.head_size;

// Rows that hold the sample as segment n of the last one.
struct Place {
  PackedRows packed;
  std::int64_t n;

  Segment segment() const { return packed.segments().at(packed.rows - 1, n); }
};

// Alone in a row; behind another at the end of a row that is not the only one; between others, after padding; in a row
// that is longer than any sample; in one that is shorter than the longest.
std::vector<Place> border_places(std::int32_t tokens) {
  const std::int32_t before = kSequence - tokens, behind = 20 + tokens + 2;
  return {
      {{.rows = 1, .sequence = kSequence, .numbers = {0, tokens, kSample}}, 0},
      {{.rows = 2,
        .sequence = kSequence,
        .numbers = {0, kSequence, 0, 0, 0, 0, /* row 1 */ 0, before, 1, before, tokens, kSample}},
       1},
      {{.rows = 1, .sequence = kSequence, .numbers = {0, 17, 7, 20, tokens, kSample, behind, kSequence - behind, 6}},
       1},
      {{.rows = 1,
        .sequence = 3 * kSequence,
        .numbers = {0, kSequence, 4, kSequence + 3, tokens, kSample, 2 * kSequence, kSequence, 9}},
       1},
      {{.rows = 1, .sequence = tokens + 3, .numbers = {1, tokens, kSample}}, 0}};
}

// The sample's part of x [rows, sequence, columns].
std::span<float> part_of(const Place& place, std::int64_t columns, Floats& x) {
  const Segment segment = place.segment();
  return std::span(x).subspan((segment.row * place.packed.sequence + segment.first) * columns,
                              segment.tokens * columns);
}

// The same numbers for the sample in any place, and others around it for each.
template <class T>
Buffer<T> around(const Place& place, std::int64_t columns, std::uint64_t seed) {
  const Segment segment = place.segment();
  Floats x = uniform(seed + 1000 * segment.first, place.packed.tokens() * columns);
  const Floats sample = uniform(seed, segment.tokens * columns);
  std::copy(sample.begin(), sample.end(), part_of(place, columns, x).begin());
  return stored<T>(x);
}

// out, log_sum_exp and dqkv of the sample.
template <class T>
Floats results(const Place& place, bool causal) {
  AttentionShape shape = attention_case(kShape, place.packed).shape;
  shape.causal = causal;
  shape.longest = kSequence;
  const Segments segments = place.packed.segments();
  const Segment segment = place.segment();
  const Buffer<T> qkv = around<T>(place, 3 * kWidth, 1), dout = around<T>(place, kWidth, 2);
  Buffer<T> out(dout.size()), dqkv(qkv.size());
  Floats log_sum_exp(positions(shape) * shape.heads);
  const Attention<T> attention(shape, threads());
  with_scratch(attention.scratch_bytes(), [&](std::span<std::byte> scratch) {
    attention.run(kPosition, qkv, segments, out, log_sum_exp, scratch);
  });
  const AttentionGradient<T> gradient(shape, threads());
  with_scratch(gradient.scratch_bytes(), [&](std::span<std::byte> scratch) {
    gradient.run(kPosition, qkv, segments, out, log_sum_exp, dout, dqkv, scratch);
  });
  Floats wide_out = loaded(out), wide_dqkv = loaded(dqkv), sums;
  for (std::int64_t head = 0; head < shape.heads; ++head) {
    const auto first = log_sum_exp.begin() + (segment.row * shape.heads + head) * shape.sequence + segment.first;
    sums.insert(sums.end(), first, first + segment.tokens);
  }
  return joined({part_of(place, kWidth, wide_out), sums, part_of(place, 3 * kWidth, wide_dqkv)});
}

template <class T>
class AttentionPacking : public testing::Test {};
TYPED_TEST_SUITE(AttentionPacking, StoredTypes);

TYPED_TEST(AttentionPacking, KeepsTheBitsOfASample) {
  for (bool causal : {false, true})
    for (std::int32_t tokens : {1, 16, 17, 150, 290, 365}) {
      std::vector<Floats> of_place;
      for (const Place& place : border_places(tokens))
        of_place.push_back(same_for_all_teams([&] { return results<TypeParam>(place, causal); }));
      for (const Floats& packed : of_place) EXPECT_TRUE(same_bits(packed, of_place.front())) << tokens << " tokens";
    }
}

TEST(AttentionShapes, ASegmentBeyondTheLongestIsOurMistake) {
  const PackedRows packed{.rows = 1, .sequence = 9, .numbers = {0, 5, 0}};
  AttentionShape shape = attention_case(kShape, packed).shape;
  shape.longest = 4;
  const Floats qkv(9 * 3 * kWidth);
  Floats out(9 * kWidth), log_sum_exp(9 * shape.heads);
  const Attention<float> attention(shape, 1);
  with_scratch(attention.scratch_bytes(), [&](std::span<std::byte> scratch) {
    EXPECT_THROW(attention.run(kPosition, qkv, packed.segments(), out, log_sum_exp, scratch), InternalError);
  });
}

}  // namespace
}  // namespace phasor::kernels
