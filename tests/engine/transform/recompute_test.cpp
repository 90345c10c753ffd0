#include "engine/transform/recompute.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "engine/ir/printer.h"
#include "tests/engine/transform/training_example.h"
#include "tests/support/fast_executor.h"

namespace phasor::test {
namespace {

using Kept = std::vector<Value>;

Graph recomputed(const TrainingExample& e, const Kept& kept) {
  Graph graph = recompute(e.graph, e.first_backward, kept);
  verify(graph);
  return graph;
}

TEST(Recompute, TheBackwardPartMakesAgainWhatItNeedsWhenItNeedsIt) {
  const TrainingExample e;
  EXPECT_EQ(to_string(e.graph),
            "inputs  %0.x: f32[4, 6], %1.w: f32[6, 6], %2.gamma: f32[6], %3.beta: f32[6], %4.position: i64[5], %12.dy: "
            "f32[4, 6]\n"
            "  %5: f32[4, 6] = matmul(%0.x, %1.w)\n"
            "  %6: f32[4, 6] = gelu(%5)\n"
            "  %7: f32[4, 6] = dropout(%6, %4.position) probability=0.25 site=1\n"
            "  %8: f32[4, 6] = add(%7, %0.x)\n"
            "  %9: f32[4, 6], %10: f32[4], %11: f32[4] = layer_norm(%8, %2.gamma, %3.beta) eps=0.5\n"
            "  %13: f32[4, 6], %14: f32[6], %15: f32[6] = layer_norm_gradient(%8, %2.gamma, %10, %11, %12.dy)\n"
            "  %16: f32[4, 6] = dropout(%13, %4.position) probability=0.25 site=1\n"
            "  %17: f32[4, 6] = gelu_gradient(%5, %16)\n"
            "  %18: f32[4, 6] = matmul(%17, %1.w) transpose_b\n"
            "  %19: f32[6, 6] = matmul(%0.x, %17) transpose_a\n"
            "  %20: f32[4, 6] = add(%13, %18)\n"
            "outputs %20, %19, %14, %15, %9\n");
  EXPECT_EQ(to_string(recomputed(e, {})),
            "inputs  %0.x: f32[4, 6], %1.w: f32[6, 6], %2.gamma: f32[6], %3.beta: f32[6], %4.position: i64[5], %12.dy: "
            "f32[4, 6]\n"
            "  %5: f32[4, 6] = matmul(%0.x, %1.w)\n"
            "  %6: f32[4, 6] = gelu(%5)\n"
            "  %7: f32[4, 6] = dropout(%6, %4.position) probability=0.25 site=1\n"
            "  %8: f32[4, 6] = add(%7, %0.x)\n"
            "  %9: f32[4, 6], %10: f32[4], %11: f32[4] = layer_norm(%8, %2.gamma, %3.beta) eps=0.5\n"
            "  %21: f32[4, 6] = matmul(%0.x, %1.w)\n"
            "  %22: f32[4, 6] = gelu(%21)\n"
            "  %23: f32[4, 6] = dropout(%22, %4.position) probability=0.25 site=1\n"
            "  %24: f32[4, 6] = add(%23, %0.x)\n"
            "  %25: f32[4, 6], %26: f32[4], %27: f32[4] = layer_norm(%24, %2.gamma, %3.beta) eps=0.5\n"
            "  %13: f32[4, 6], %14: f32[6], %15: f32[6] = layer_norm_gradient(%24, %2.gamma, %26, %27, %12.dy)\n"
            "  %16: f32[4, 6] = dropout(%13, %4.position) probability=0.25 site=1\n"
            "  %17: f32[4, 6] = gelu_gradient(%21, %16)\n"
            "  %18: f32[4, 6] = matmul(%17, %1.w) transpose_b\n"
            "  %19: f32[6, 6] = matmul(%0.x, %17) transpose_a\n"
            "  %20: f32[4, 6] = add(%13, %18)\n"
            "outputs %20, %19, %14, %15, %9\n");
}

TEST(Recompute, RepeatsFromWhatIsKept) {
  const TrainingExample e;
  EXPECT_EQ(to_string(recomputed(e, {e.sum})),
            "inputs  %0.x: f32[4, 6], %1.w: f32[6, 6], %2.gamma: f32[6], %3.beta: f32[6], %4.position: i64[5], %12.dy: "
            "f32[4, 6]\n"
            "  %5: f32[4, 6] = matmul(%0.x, %1.w)\n"
            "  %6: f32[4, 6] = gelu(%5)\n"
            "  %7: f32[4, 6] = dropout(%6, %4.position) probability=0.25 site=1\n"
            "  %8: f32[4, 6] = add(%7, %0.x)\n"
            "  %9: f32[4, 6], %10: f32[4], %11: f32[4] = layer_norm(%8, %2.gamma, %3.beta) eps=0.5\n"
            "  %21: f32[4, 6], %22: f32[4], %23: f32[4] = layer_norm(%8, %2.gamma, %3.beta) eps=0.5\n"
            "  %13: f32[4, 6], %14: f32[6], %15: f32[6] = layer_norm_gradient(%8, %2.gamma, %22, %23, %12.dy)\n"
            "  %16: f32[4, 6] = dropout(%13, %4.position) probability=0.25 site=1\n"
            "  %24: f32[4, 6] = matmul(%0.x, %1.w)\n"
            "  %17: f32[4, 6] = gelu_gradient(%24, %16)\n"
            "  %18: f32[4, 6] = matmul(%17, %1.w) transpose_b\n"
            "  %19: f32[6, 6] = matmul(%0.x, %17) transpose_a\n"
            "  %20: f32[4, 6] = add(%13, %18)\n"
            "outputs %20, %19, %14, %15, %9\n");
}

TEST(Recompute, NothingElseOfTheForwardPartIsRead) {
  const TrainingExample e;
  for (const Kept& kept : {Kept{}, Kept{e.sum}, Kept{e.product, e.sum}}) {
    const Graph graph = recomputed(e, kept);
    for (std::size_t i = static_cast<std::size_t>(e.first_backward); i < graph.nodes.size(); ++i) {
      for (Value input : graph.nodes[i].inputs) {
        const int producer = graph[input].producer;
        EXPECT_TRUE(producer < 0 || producer >= e.first_backward || std::ranges::count(kept, input) == 1)
            << "node " << i << " reads %" << input.id;
      }
    }
  }
}

TEST(Recompute, GivesTheSameBits) {
  const TrainingExample e;
  const auto expected = run_graph(e.graph, e.inputs());
  for (const Kept& kept : {Kept{}, Kept{e.sum}, Kept{e.product, e.sum}}) {
    EXPECT_TRUE(run_graph(recomputed(e, kept), e.inputs()) == expected) << kept.size();
  }
}

// Whatever is kept, the plan does not decide about the result.
TEST(Recompute, GivesTheSameBitsWithoutReuseOfMemory) {
  const TrainingExample e;
  const Graph graph = recomputed(e, {});
  EXPECT_TRUE(run_graph(graph, e.inputs()) == run_graph(graph, e.inputs(), 1, Strategy::no_reuse));
}

}  // namespace
}  // namespace phasor::test
