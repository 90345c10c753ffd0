#include "engine/lower/units/training_graphs.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/ir/op_table.h"
#include "engine/ir/printer.h"
#include "tests/engine/train/toy_model.h"

namespace phasor::test {
namespace {

std::string text_of(const std::vector<Port>& ports) {
  static constexpr const char* kNames[] = {"x",      "y",        "partial",     "dx",   "dy",
                                           "batch",  "position", "loss_scale",  "loss", "result",
                                           "weight", "packed",   "accumulator", "kept"};
  std::string text;
  for (const Port& port : ports) text += fmt::format("{} {}, ", kNames[static_cast<int>(port.role)], port.index);
  return text;
}

TrainingGraphs body_graphs(Recompute recompute) { return training_graphs(stage_units(toy_model())[0], recompute); }
TrainingGraphs head_graphs(Recompute recompute) { return training_graphs(stage_units(toy_model())[1], recompute); }

TEST(TrainingGraphs, RecomputationMakesTheActivationsAgain) {
  const TrainingGraphs graphs = body_graphs(Recompute::layer);
  EXPECT_TRUE(graphs.kept.empty());
  EXPECT_EQ(text_of(graphs.forward.inputs), "batch 0, weight 0, position 0, ");
  EXPECT_EQ(text_of(graphs.forward.outputs), "y 0, ");
  EXPECT_EQ(to_string(graphs.gradient.graph),
            "inputs  %0.features: f32[2, 3], %1.weight: f32[3, 6], %2.position: i64[5], %3.dy: f32[2, 6], %4.d weight: "
            "f32[3, 6]\n"
            "  %5: f32[2, 6] = matmul(%0.features, %1.weight)\n"
            "  %6: f32[2, 6] = dropout(%3.dy, %2.position) probability=0.5 site=0\n"
            "  %7: f32[2, 6] = gelu_gradient(%5, %6)\n"
            "  %8: f32[3, 6] = matmul_add(%4.d weight, %0.features, %7) transpose_a\n"
            "outputs %8\n");
  EXPECT_EQ(text_of(graphs.gradient.inputs), "batch 0, weight 0, position 0, dy 0, accumulator 0, ");
  EXPECT_EQ(text_of(graphs.gradient.outputs), "accumulator 0, ");
}

TEST(TrainingGraphs, KeptActivationsLeaveWithTheForwardGraph) {
  const TrainingGraphs graphs = body_graphs(Recompute::none);
  EXPECT_EQ(graphs.kept.size(), 1);
  EXPECT_EQ(text_of(graphs.forward.outputs), "y 0, kept 0, ");
  EXPECT_EQ(
      to_string(graphs.gradient.graph),
      "inputs  %0.features: f32[2, 3], %1.position: i64[5], %2.dy: f32[2, 6], %3.d weight: f32[3, 6], %4: f32[2, 6]\n"
      "  %5: f32[2, 6] = dropout(%2.dy, %1.position) probability=0.5 site=0\n"
      "  %6: f32[2, 6] = gelu_gradient(%4, %5)\n"
      "  %7: f32[3, 6] = matmul_add(%3.d weight, %0.features, %6) transpose_a\n"
      "outputs %7\n");
  EXPECT_EQ(text_of(graphs.gradient.inputs), "batch 0, position 0, dy 0, accumulator 0, kept 0, ");
}

TEST(TrainingGraphs, TheLastStageRunsForwardWithItsGradient) {
  const TrainingGraphs graphs = head_graphs(Recompute::none);
  EXPECT_TRUE(graphs.forward.graph.nodes.empty());
  EXPECT_TRUE(graphs.kept.empty());
  EXPECT_EQ(to_string(graphs.gradient.graph),
            "inputs  %0.x: f32[2, 6], %1.weight: f32[6, 4], %2.bias: f32[4], %3.labels: i32[2], %4.label_weights: "
            "f32[2], %5.loss_scale: f32[1], %6.d weight: f32[6, 4], %7.d bias: f32[4]\n"
            "  %8: f32[2, 4] = matmul(%0.x, %1.weight)\n"
            "  %9: f32[2, 4] = add(%8, %2.bias)\n"
            "  %10: f32[1] = cross_entropy(%9, %3.labels, %4.label_weights)\n"
            "  %11: f32[2, 4] = cross_entropy_gradient(%9, %3.labels, %4.label_weights, %5.loss_scale)\n"
            "  %12: f32[6, 4] = matmul_add(%6.d weight, %0.x, %11) transpose_a\n"
            "  %13: f32[4] = reduce_sum(%11)\n"
            "  %14: f32[4] = add(%7.d bias, %13)\n"
            "  %15: f32[2, 6] = matmul(%11, %1.weight) transpose_b\n"
            "outputs %15, %12, %14, %10\n");
  EXPECT_EQ(text_of(graphs.gradient.inputs),
            "x 0, weight 0, weight 1, batch 0, batch 1, loss_scale 0, accumulator 0, accumulator 1, ");
  EXPECT_EQ(text_of(graphs.gradient.outputs), "dx 0, accumulator 0, accumulator 1, loss 0, ");
}

// The lowering lets accumulators be updated in place: the op that makes one must be able to.
TEST(TrainingGraphs, AccumulatorsCanBeUpdatedInPlace) {
  for (const TrainingGraphs& graphs : {body_graphs(Recompute::layer), head_graphs(Recompute::none)}) {
    const Graph& graph = graphs.gradient.graph;
    const auto &inputs = graphs.gradient.inputs, &outputs = graphs.gradient.outputs;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].role != Role::accumulator) continue;
      const Node& node = graph.nodes[graph[graph.outputs[i]].producer];
      const auto before = std::ranges::find(graph.inputs, node.inputs[0]) - graph.inputs.begin();
      EXPECT_GE(op_info(node.op).overwritable_inputs, 1);
      EXPECT_EQ(inputs.at(before).role, Role::accumulator);
      EXPECT_EQ(inputs.at(before).index, outputs[i].index);
    }
  }
}

TEST(TrainingGraphs, AVariableThatNothingDependsOnIsRefused) {
  Stages stages = toy_model();
  StageBuilder(stages[0]).variable("unused", {3}, {}, true);
  EXPECT_THROW(training_graphs(stage_units(stages)[0], Recompute::layer), InternalError);
}

TEST(InferenceGraph, GivesTheResultsWithoutTheLoss) {
  const UnitGraph head = inference_graph(stage_units(toy_model())[1]);
  EXPECT_EQ(to_string(head.graph),
            "inputs  %0.x: f32[2, 6], %1.weight: f32[6, 4], %2.bias: f32[4]\n"
            "  %3: f32[2, 4] = matmul(%0.x, %1.weight)\n"
            "  %4: f32[2, 4] = add(%3, %2.bias)\n"
            "outputs %4\n");
  EXPECT_EQ(text_of(head.inputs), "x 0, weight 0, weight 1, ");
  EXPECT_EQ(text_of(head.outputs), "result 0, ");
}

}  // namespace
}  // namespace phasor::test
