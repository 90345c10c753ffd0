#include "engine/kernels/vocabulary/vocabulary.h"

#include "engine/runtime/ops/adapters.h"

namespace phasor::adapters {

namespace {

template <Op op>
kernels::VocabularyShape shape_of(const Graph& graph, const Node& node) {
  const auto& [whole, products] = std::get<VocabularyAttributes>(node.attributes);
  const auto in = inputs_of<op>(node);
  const TensorSpec &x = graph.spec(in["x"]), &weight = graph.spec(in["weight"]);
  const std::int64_t entries = weight.shape[0];
  return {.tokens = x.shape.rows(),
          .width = x.shape.columns(),
          .entries = entries,
          .whole = whole > 0 ? whole : entries,
          .block = kVocabularyBlock,
          .x = x.dtype,
          .weight = weight.dtype,
          .products = backend_name(products)};
}

// Without labels.
template <Op op>
kernels::VocabularyInputs unlabelled_inputs(const Inputs<op, TensorView>& in) {
  const std::int64_t slice =
      in.has("position") ? PositionRecord::read(read<std::int64_t>(in["position"])).slice : std::int64_t{0};
  return {.x = in["x"].data, .weight = in["weight"].data, .labels = {}, .first = slice * in["weight"].spec.shape[0]};
}

template <Op op>
kernels::VocabularyInputs vocabulary_inputs(const Inputs<op, TensorView>& in) {
  kernels::VocabularyInputs all = unlabelled_inputs(in);
  all.labels = read_ids(in["labels"]);
  return all;
}

// The tokens are those that are chosen, one a row.
kernels::VocabularyShape logits_shape(const Graph& graph, const Node& node) {
  kernels::VocabularyShape shape = shape_of<Op::vocabulary_logits>(graph, node);
  shape.tokens = graph.spec(inputs_of<Op::vocabulary_logits>(node)["x"]).shape[0];
  return shape;
}

// The sum so far is moved to where the result goes, if that is another place.
template <Op op>
void start_with_sum(const KernelArguments& arguments) {
  const TensorView &sum = inputs<op>(arguments)["sum"], &dweight = outputs<op>(arguments)["dweight"];
  if (sum.data != dweight.data) std::ranges::copy(read_float(sum), write_float(dweight).begin());
}

template <Op op>
void run_gradient(const KernelArguments& arguments) {
  const auto in = inputs<op>(arguments);
  const auto out = outputs<op>(arguments);
  prepared_as<kernels::VocabularyGradient>(arguments).run(vocabulary_inputs<op>(in), read_float(in["dsums"]),
                                                          in.optional("dx_sum").data, write_float(out["dweight"]),
                                                          out["dx"].data, arguments.scratch);
}

template <Op op>
std::unique_ptr<Prepared> prepared_gradient(const Graph& graph, const Node& node, int threads) {
  return std::make_unique<PreparedKernel<kernels::VocabularyGradient>>(shape_of<op>(graph, node), threads);
}

}  // namespace

std::int64_t vocabulary_sums_scratch(const Graph& graph, const Node& node, int threads) {
  return kernels::vocabulary_sums_scratch_bytes(shape_of<Op::vocabulary_sums>(graph, node), threads);
}
std::int64_t vocabulary_gradient_scratch(const Graph& graph, const Node& node, int threads) {
  return kernels::vocabulary_gradient_scratch_bytes(shape_of<Op::vocabulary_gradient>(graph, node), threads);
}
std::int64_t vocabulary_gradient_add_scratch(const Graph& graph, const Node& node, int threads) {
  return kernels::vocabulary_gradient_scratch_bytes(shape_of<Op::vocabulary_gradient_add>(graph, node), threads);
}
std::int64_t vocabulary_sums_with_gradient_scratch(const Graph& graph, const Node& node, int threads) {
  constexpr Op kOp = Op::vocabulary_sums_with_gradient;
  return kernels::vocabulary_sums_with_gradient_scratch_bytes(shape_of<kOp>(graph, node), threads);
}
std::int64_t vocabulary_logits_scratch(const Graph& graph, const Node& node, int threads) {
  return kernels::vocabulary_logits_scratch_bytes(logits_shape(graph, node), threads);
}

std::unique_ptr<Prepared> prepare_vocabulary_sums(const Graph& graph, const Node& node, int threads) {
  return std::make_unique<PreparedKernel<kernels::VocabularySums>>(shape_of<Op::vocabulary_sums>(graph, node), threads);
}
std::unique_ptr<Prepared> prepare_vocabulary_gradient(const Graph& graph, const Node& node, int threads) {
  return prepared_gradient<Op::vocabulary_gradient>(graph, node, threads);
}
std::unique_ptr<Prepared> prepare_vocabulary_gradient_add(const Graph& graph, const Node& node, int threads) {
  return prepared_gradient<Op::vocabulary_gradient_add>(graph, node, threads);
}
std::unique_ptr<Prepared> prepare_vocabulary_sums_with_gradient(const Graph& graph, const Node& node, int threads) {
  const auto shape = shape_of<Op::vocabulary_sums_with_gradient>(graph, node);
  return std::make_unique<PreparedKernel<kernels::VocabularySumsWithGradient>>(shape, threads);
}
std::unique_ptr<Prepared> prepare_vocabulary_logits(const Graph& graph, const Node& node, int threads) {
  return std::make_unique<PreparedKernel<kernels::VocabularyLogits>>(logits_shape(graph, node), threads);
}

void vocabulary_sums(const KernelArguments& arguments) {
  const auto in = inputs<Op::vocabulary_sums>(arguments);
  const auto before = in.has("sums_before") ? read_float(in["sums_before"]) : std::span<const float>();
  prepared_as<kernels::VocabularySums>(arguments).run(vocabulary_inputs(in), read_float(in["label_weights"]), before,
                                                      write_float(outputs<Op::vocabulary_sums>(arguments)["sums"]),
                                                      arguments.scratch);
}

void vocabulary_loss(const KernelArguments& arguments) {
  const auto in = inputs<Op::vocabulary_loss>(arguments);
  kernels::vocabulary_loss(read_float(in["sums"]), read_float(in["label_weights"]),
                           write_float(outputs<Op::vocabulary_loss>(arguments)["loss"]));
}

void vocabulary_loss_gradient(const KernelArguments& arguments) {
  const auto in = inputs<Op::vocabulary_loss_gradient>(arguments);
  kernels::vocabulary_loss_gradient(read_float(in["sums"]), read_float(in["label_weights"]), read_float(in["dloss"]),
                                    write_float(outputs<Op::vocabulary_loss_gradient>(arguments)["dsums"]));
}

void vocabulary_gradient(const KernelArguments& arguments) {
  std::ranges::fill(write_float(outputs<Op::vocabulary_gradient>(arguments)["dweight"]), 0.0f);
  run_gradient<Op::vocabulary_gradient>(arguments);
}

void vocabulary_gradient_add(const KernelArguments& arguments) {
  start_with_sum<Op::vocabulary_gradient_add>(arguments);
  run_gradient<Op::vocabulary_gradient_add>(arguments);
}

void vocabulary_sums_with_gradient(const KernelArguments& arguments) {
  constexpr Op kOp = Op::vocabulary_sums_with_gradient;
  start_with_sum<kOp>(arguments);
  const auto in = inputs<kOp>(arguments);
  const auto out = outputs<kOp>(arguments);
  const kernels::VocabularyInputs whole{
      .x = in["x"].data, .weight = in["weight"].data, .labels = read_ids(in["labels"]), .first = 0};
  prepared_as<kernels::VocabularySumsWithGradient>(arguments).run(
      whole, read_float(in["label_weights"]), read_float(in["dloss"]), write_float(out["dweight"]),
      write_float(out["dx"]), write_float(out["sums"]), write_float(out["dsums"]), arguments.scratch);
}

void vocabulary_logits(const KernelArguments& arguments) {
  const auto in = inputs<Op::vocabulary_logits>(arguments);
  const auto before = in.has("logits_before") ? read_float(in["logits_before"]) : std::span<const float>();
  prepared_as<kernels::VocabularyLogits>(arguments).run(
      unlabelled_inputs(in), in["x"].spec.shape[1], read_ids(in["last"]), before,
      write_float(outputs<Op::vocabulary_logits>(arguments)["logits"]), arguments.scratch);
}

}  // namespace phasor::adapters
