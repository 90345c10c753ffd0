#include "engine/kernels/dropout.h"
#include "tests/ops/op_case.h"
#include "tests/support/reference_executor.h"

namespace phasor::test {

namespace {

struct Sizes {
  std::int64_t rows, sequence, heads, head_size;
  float probability;
  bool packed;  // two samples a row
  bool causal = false;
  std::int64_t longest = 0;  // that samples of other rows may be; 0: those of these

  Shape shape(std::int64_t parts) const { return {rows, sequence, parts * heads * head_size}; }
  AttentionAttributes attributes() const {
    return {.heads = heads, .causal = causal, .longest = longest, .probability = probability, .site = 2};
  }
};

constexpr Sizes kSizes[] = {{2, 5, 2, 3, 0, false},          {2, 5, 2, 3, 0, true},
                            {1, 7, 1, 4, 0.3f, false},       {3, 4, 3, 2, 0.5f, true},
                            {2, 5, 2, 3, 0, false, true},    {2, 5, 2, 3, 0, true, true},
                            {1, 7, 1, 4, 0.3f, false, true}, {3, 4, 3, 2, 0.5f, true, true},
                            {1, 100, 1, 2, 0, false, true},  {1, 7, 2, 3, 0.3f, true, false, 13}};

// With all inputs in [-1, 1]: a score, |q k'| / sqrt(d) <= sqrt(d), is off by e; a probability by exp(2e) and the
// roundings of its normaliser.
struct Bounds {
  explicit Bounds(const Sizes& s)
      : n(static_cast<double>(s.sequence)),
        d(static_cast<double>(s.head_size)),
        scale(kernels::DropoutRate(s.probability).scale),
        score(rounding(d + 8) * (2 * std::sqrt(d) + 2 + std::log(n))),
        probability(std::expm1(2 * score) + rounding(2 * n + d + 2 * kExpRoundings + 8)) {}

  double out() const { return probability * scale; }
  double log_sum_exp() const {
    return score + rounding(n + kExpRoundings + 2) + rounding(2) * (std::sqrt(d) + 1 + 2 * std::log(n));
  }
  // dp and the inner product that is taken off are at most scale d each; dk sums over the queries.
  double dqkv() const { return n * probability * scale * (2 * d / std::sqrt(d) + 1); }

  double n, d, scale, score, probability;
};

Value add_segments(OpCase& c, const Sizes& s) {
  return s.packed ? c.add_segments(s.rows, s.sequence) : c.add_whole_rows(s.rows, s.sequence);
}

OpCase attention_case(const Sizes& s) {
  OpCase c;
  c.name = fmt::format("attention {}, probability {}, {}{}{}", to_string(s.shape(3)), s.probability,
                       s.packed ? "packed" : "not packed", s.causal ? ", causal" : "",
                       s.longest > 0 ? fmt::format(", longest {}", s.longest) : "");
  const Value qkv = c.add_reals(s.shape(3)), segments = add_segments(c, s), position = c.add_position();
  const auto [out, log_sum_exp] = c.builder().attention(qkv, segments, position, s.attributes());
  c.add_output(out, Bounds(s).out());
  c.add_output(log_sum_exp, Bounds(s).log_sum_exp());
  c.differentiable = {qkv};
  c.gradient_bound = Bounds(s).dqkv();
  return c;
}

// On what the forward op returns, as probabilities are made again from log_sum_exp.
OpCase attention_gradient_case(const Sizes& s) {
  OpCase forward = attention_case(s);
  const auto attended = evaluate<double>(forward.graph, forward.inputs);
  OpCase c;
  c.name = "gradient of " + forward.name;
  const Value qkv = c.add_reals(s.shape(3)), segments = add_segments(c, s), position = c.add_position();
  const Value out = c.add_given(s.shape(1), attended[0].reals);
  const Value log_sum_exp = c.add_given({s.rows, s.heads, s.sequence}, attended[1].reals);
  const Value dout = c.add_reals(s.shape(1));
  c.add_output(c.builder().attention_gradient(qkv, segments, position, {out, log_sum_exp}, dout, s.attributes()),
               Bounds(s).dqkv());
  return c;
}

// A row that goes on, one that begins with fewer tokens than there is room for, and one that has none.
OpCase attention_cached_case(std::int64_t room) {
  OpCase c;
  c.name = fmt::format("attention_cached in a room of {}", room);
  constexpr std::int64_t kRows = 3, kNew = 4, kHeads = 2, kHeadSize = 3, kHidden = kHeads * kHeadSize;
  const auto past = static_cast<std::int32_t>(room - kNew);
  const Value cache = c.add_reals({kRows, room, 2 * kHidden}), qkv = c.add_reals({kRows, kNew, 3 * kHidden});
  const Value places = c.add_given_ids({kRows, kNew}, {past, past + 1, past + 2, past + 3, 0, 1, 2, 1000, -7, 0, 0, 0});
  const Value last = c.add_given_ids({kRows}, {3, 1, -1});
  const auto [after, out] = c.builder().attention_cached(cache, qkv, places, last, {.heads = kHeads});
  const Sizes sizes{kRows, room, kHeads, kHeadSize, 0, false, true};
  c.add_output(after, 0);
  c.add_output(out, Bounds(sizes).out());
  return c;
}

}  // namespace

std::vector<OpCase> attention_cases() {
  std::vector<OpCase> cases{attention_cached_case(4), attention_cached_case(9), attention_cached_case(70)};
  for (const Sizes& s : kSizes) {
    cases.push_back(attention_case(s));
    cases.push_back(attention_gradient_case(s));
  }
  return cases;
}

namespace {

TEST(AttentionOps, FastAgreesWithReference) {
  for (const OpCase& c : attention_cases()) expect_fast_agrees(c);
}

TEST(AttentionOps, GradientIsTheDerivative) {
  for (const OpCase& c : attention_cases()) expect_gradient_is_the_derivative(c);
}

TEST(AttentionOps, LogSumExpIsNotDifferentiable) {
  OpCase c = attention_case(kSizes[0]);
  c.graph.outputs = {c.graph.outputs[1]};
  EXPECT_THROW(autodiff_gradient(c, c.differentiable[0]), InternalError);
}

}  // namespace
}  // namespace phasor::test
