#include "engine/program/simulate/sample_cuts.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/ir/records.h"
#include "engine/plan/halving.h"

namespace phasor {

namespace {

constexpr std::int64_t kMostElements = 1 << 21;  // of a tensor
// Vectors are the optimizer's: they come from far, whatever their length, and so does one that no cache holds.
constexpr std::int64_t kLongVector = 1 << 16, kSampleVector = 1 << 22;

// Of packed weights: their elements for each that the weights have, and those behind them, of which there are as many
// whatever the sizes are.
struct PackedSize {
  PackedSize(std::int64_t packed, std::int64_t elements) : of_each(packed / elements), behind(packed % elements) {}
  std::int64_t of(std::int64_t elements) const { return of_each * elements + behind; }

  std::int64_t of_each, behind;
};

double real(std::int64_t size) { return static_cast<double>(size); }

OperandRole role_of(const NodeSample& sample, std::size_t input) { return op_info(sample.op).input(input).role; }

// The first input of that role.
TensorSpec& operand(NodeSample& sample, OperandRole role) { return sample.inputs[op_info(sample.op).input_of(role)]; }

// As many of the last dimensions of x.
Shape last_dimensions(const Shape& x, int rank) { return Shape(x.extents().last(static_cast<std::size_t>(rank))); }

void set_rows(NodeSample& sample, const Shape& x) {
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
    Shape& shape = sample.inputs[i].shape;
    const OperandRole role = role_of(sample, i);
    if (role == OperandRole::rows) shape = x;
    if (role == OperandRole::row_numbers || role == OperandRole::labels) shape = {x.rows()};
    if (role == OperandRole::suffix) shape = last_dimensions(x, shape.rank());
    if (role == OperandRole::labels) sample.integers = x.columns();
  }
  if (auto* result = std::get_if<ShapeAttributes>(&sample.attributes)) {
    result->shape = last_dimensions(x, result->shape.rank());
  }
}

// Their kernels do the same work without.
void leave_out_segments(NodeSample& sample) {
  if (role_of(sample, sample.inputs.size() - 1) == OperandRole::segments) sample.inputs.pop_back();
}

// The first sample, or at most as many of its rows as its last dimension but one counts.
Shape first_rows(const Shape& x) {
  if (x.elements() <= kMostElements) return x;
  const std::int64_t columns = std::min(x.columns(), kMostElements), rows = kMostElements / columns;
  std::vector<std::int64_t> extents(static_cast<std::size_t>(x.rank()), 1);
  extents[extents.size() - 2] = std::min(rows, x[-2]);
  extents.back() = columns;
  return Shape(extents);
}

}  // namespace

void cut_rows(NodeSample& sample) {
  leave_out_segments(sample);
  const Shape x = operand(sample, OperandRole::rows).shape;
  if (x.rank() != 1) return set_rows(sample, first_rows(x));
  if (x[0] < kLongVector) return;
  std::int64_t length = kSampleVector;
  do {
    set_rows(sample, {length});
    length -= kLongVector;
  } while (bytes_of(sample) > kMostSampleBytes);
}

void cut_elements(NodeSample& sample) {
  Shape& x = operand(sample, OperandRole::rows).shape;
  std::get<ShapeAttributes>(sample.attributes).shape = x = {x.elements()};
  cut_rows(sample);
}

// c[m, n] = a b, whatever way a and b are stored.
void cut_product(NodeSample& sample, double most_flops) {
  auto& attributes = std::get<MatmulAttributes>(sample.attributes);
  const TensorSpec a = operand(sample, OperandRole::left);
  const TensorSpec b = operand(sample, OperandRole::right);
  const bool packed = attributes.packed_columns > 0;
  std::int64_t m = attributes.transpose_a ? a.shape.columns() : a.shape.rows();
  std::int64_t k = attributes.transpose_a ? a.shape.rows() : a.shape.columns();
  std::int64_t n = packed ? attributes.packed_columns : attributes.transpose_b ? b.shape.rows() : b.shape.columns();
  const PackedSize size_of_b(b.elements(), n * k);
  halve_largest({&m, &n, &k}, [&] {
    const double operands = real(size_of(a.dtype)) * (real(k) * real(m) + real(size_of_b.of(n * k)));
    const double results = real(size_of(attributes.result)) * real(m) * real(n);
    return 2 * real(m) * real(n) * real(k) > most_flops ||
           operands + results + real(size_of(DType::f32)) * real(n) > real(kMostSampleBytes);
  });
  if (packed) attributes.packed_columns = n;
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
    Shape& shape = sample.inputs[i].shape;
    const OperandRole role = role_of(sample, i);
    if (role == OperandRole::left) shape = attributes.transpose_a ? Shape{k, m} : Shape{m, k};
    if (role == OperandRole::right && packed) shape = {size_of_b.of(n * k)};
    if (role == OperandRole::right && !packed) shape = attributes.transpose_b ? Shape{n, k} : Shape{k, n};
    if (role == OperandRole::bias) shape = {n};
    if (role == OperandRole::sum) shape = {m, n};
  }
}

void cut_attention(NodeSample& sample, double most_flops) {
  auto& attributes = std::get<AttentionAttributes>(sample.attributes);
  const TensorSpec& qkv = operand(sample, OperandRole::qkv);
  std::int64_t batch = qkv.shape[0], sequence = qkv.shape[1], heads = attributes.heads;
  if (attributes.longest > 0) {  // segments as rows of their own, which take as long
    batch = batch * sequence / attributes.longest;
    sequence = std::exchange(attributes.longest, 0);
  }
  std::int64_t width = qkv.shape[2] / (3 * heads);
  const auto too_large = [&] {
    const double tokens = real(batch) * real(sequence), hidden = real(heads) * real(width);
    constexpr double kTensors = 8;  // of a gradient, [tokens, hidden]: qkv and dqkv count three times
    const double bytes =
        tokens * (kTensors * hidden * real(size_of(qkv.dtype)) + real(size_of(DType::f32) * (heads + 1)));
    return 6 * real(sequence) * tokens * hidden > most_flops || bytes > real(kMostSampleBytes);
  };
  if (too_large()) batch = 1;
  while (too_large() && heads % 4 == 0) heads /= 2;
  while (too_large() && heads >= 4) heads /= 2;
  halve_largest({&sequence}, too_large);
  halve_largest({&width}, too_large);
  attributes.heads = heads;
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
    Shape& shape = sample.inputs[i].shape;
    const OperandRole role = role_of(sample, i);
    if (role == OperandRole::qkv) shape = {batch, sequence, 3 * heads * width};
    if (role == OperandRole::segments) shape = segments_spec(batch, 1).shape;
    if (role == OperandRole::attended) shape = {batch, sequence, heads * width};
    if (role == OperandRole::log_sum_exp) shape = {batch, heads, sequence};
  }
}

// Fewer of many, since small ones may be none that are packed.
void cut_pack(NodeSample& sample) {
  constexpr std::int64_t kLeastElements = 1 << 17;
  sample.from_far = true;
  auto& operands = std::get<PackAttributes>(sample.attributes).operands;
  const std::int64_t most = std::max(kLeastElements, kMostElements / std::ssize(operands));
  std::int64_t bytes = 0;
  std::size_t fit = 0;
  for (; fit < operands.size(); ++fit) {
    TensorSpec& b = sample.inputs[fit];
    std::int64_t rows = b.shape.rows(), columns = b.shape.columns();
    const PackedSize packed(operands[fit].elements, b.elements());
    halve_largest({&columns, &rows}, [&] { return real(rows) * real(columns) > real(most); });
    b.shape = {rows, columns};
    operands[fit].elements = packed.of(rows * columns);
    bytes += b.bytes() + operands[fit].elements * size_of(b.dtype);
    if (bytes > kMostSampleBytes) break;
  }
  operands.resize(fit);
  sample.inputs.resize(fit);
}

void cut_lookup(NodeSample& sample) {
  sample.from_far = true;
  auto& attributes = std::get<EmbeddingAttributes>(sample.attributes);
  const TensorSpec result = output_specs(sample.op, sample.inputs, attributes)[0];  // the rows, or the table's gradient
  const std::int64_t columns = std::min(result.shape.columns(), kMostElements), most = kMostElements / columns;
  const std::int64_t whole_entries = attributes.entries, entries = std::min(most, whole_entries);
  const std::int64_t ids = std::min(most, operand(sample, OperandRole::ids).elements());
  if (attributes.whole > 0) {
    attributes.whole = std::llround(real(attributes.whole) * real(entries) / real(whole_entries));
  }
  attributes.entries = entries;
  sample.integers = attributes.whole > 0 ? attributes.whole : entries;
  for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
    Shape& shape = sample.inputs[i].shape;
    const OperandRole role = role_of(sample, i);
    if (role == OperandRole::table) shape = {entries, columns};
    if (role == OperandRole::ids) shape = {ids};
    if (role == OperandRole::rows) shape = {ids, columns};
  }
}

void cut_vocabulary(NodeSample& sample, double most_flops) {
  auto& attributes = std::get<VocabularyAttributes>(sample.attributes);
  const TensorSpec x = operand(sample, OperandRole::left), weight = operand(sample, OperandRole::right);
  std::int64_t tokens = x.shape.rows(), entries = weight.shape[0], width = weight.shape[1];
  const double slices = real(attributes.whole) / real(entries);  // 0: the weight is no slice
  const auto set_sizes = [&] {
    if (slices > 0) attributes.whole = std::max<std::int64_t>(1, std::llround(slices * real(entries)));
    sample.integers = slices > 0 ? attributes.whole : entries;
    for (std::size_t i = 0; i < sample.inputs.size(); ++i) {
      Shape& shape = sample.inputs[i].shape;
      const OperandRole role = role_of(sample, i);
      if (role == OperandRole::left) shape = {tokens, width};
      if (role == OperandRole::right || role == OperandRole::sum) shape = {entries, width};
      if (role == OperandRole::labels || role == OperandRole::row_numbers) shape = {tokens};
      if (role == OperandRole::rows) shape = {tokens, shape.columns()};
    }
  };
  const auto too_large = [&] {
    set_sizes();
    const CostRule flops = op_info(sample.op).flops;
    return flops(sample.inputs, sample.attributes) > most_flops || bytes_of(sample) > kMostSampleBytes;
  };
  while (too_large() && std::max(entries / kVocabularyBlock, tokens / kBlock) > 1) {
    if (entries > kVocabularyBlock && entries >= tokens) {
      entries = std::max<std::int64_t>(1, entries / 2 / kVocabularyBlock) * kVocabularyBlock;
    } else {
      halve_largest({&tokens}, [&, before = tokens] { return tokens == before; });
    }
  }
  halve_largest({&width}, too_large);
}

}  // namespace phasor
