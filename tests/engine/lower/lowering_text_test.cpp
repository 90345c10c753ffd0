// What becomes of the toy model, as text.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/lower/lowering.h"
#include "engine/program/printer.h"
#include "tests/engine/train/toy_model.h"

namespace phasor::test {
namespace {

// Two replicas, the weights sharded and the bias not, two micro-batches, clipping.
TEST(Lowering, PhasedWithClipping) {
  const Program program =
      lower_training(toy_model(), {.max_grad_norm = 1},
                     {.replicas = 2, .accumulation = 2, .rts_threshold = 10, .prefetch_depth = 0, .loop_overlap = 0});
  EXPECT_EQ(to_string(program),
            "step\n"
            "  phase norm\n"
            "    zero    square_sum.sharded\n"
            "    zero    square_sum.whole\n"
            "  phase forward body\n"
            "    load    body.weight.weight[0] -> w.weight\n"
            "    gather  w.weight -> gathered.weight\n"
            "    repeat  i = 0 .. 1\n"
            "      load    train.batch.features[0] -> batch.features\n"
            "      load    train.position[0] -> position0\n"
            "      call    body.forward(batch.features, gathered.weight, position0) -> y_out\n"
            "      store   y_out -> train.x[0]\n"
            "  phase gradient head\n"
            "    load    head.weight.weight[0] -> w.weight\n"
            "    load    head.bias.weight[0] -> w.bias\n"
            "    gather  w.weight -> gathered.weight\n"
            "    zero    sum.weight\n"
            "    zero    sum.bias\n"
            "    repeat  i = 0 .. 1\n"
            "      load    train.x[0] -> x\n"
            "      load    train.batch.labels[0] -> batch.labels\n"
            "      load    train.batch.label_weights[0] -> batch.label_weights\n"
            "      load    train.loss_scale[0] -> loss_scale\n"
            "      call    head.gradient(x, gathered.weight, w.bias, batch.labels, batch.label_weights, loss_scale, "
            "sum.weight, "
            "sum.bias) -> dx, sum.weight, sum.bias, loss\n"
            "      store   dx -> train.dx[0]\n"
            "      store   loss -> train.loss[0]\n"
            "    reduce  sum.weight -> g.weight  sum, scatter\n"
            "    reduce  sum.bias  sum\n"
            "    call    head.square_sum.sharded(g.weight, square_sum.sharded) -> square_sum.sharded\n"
            "    call    head.square_sum.whole(sum.bias, square_sum.whole) -> square_sum.whole\n"
            "    store   g.weight -> head.weight.gradient[0]\n"
            "    store   sum.bias -> head.bias.gradient[0]\n"
            "  phase gradient body\n"
            "    load    body.weight.weight[0] -> w.weight\n"
            "    gather  w.weight -> gathered.weight\n"
            "    zero    sum.weight\n"
            "    repeat  i = 0 .. 1\n"
            "      load    train.batch.features[0] -> batch.features\n"
            "      load    train.position[0] -> position0\n"
            "      load    train.dx[0] -> dy\n"
            "      call    body.gradient(batch.features, gathered.weight, position0, dy, sum.weight) -> sum.weight\n"
            "    reduce  sum.weight -> g.weight  sum, scatter\n"
            "    call    body.square_sum.sharded(g.weight, square_sum.sharded) -> square_sum.sharded\n"
            "    store   g.weight -> body.weight.gradient[0]\n"
            "  phase clip\n"
            "    gather  square_sum.sharded -> gathered.square_sum\n"
            "    load    train.adam_step[0] -> adam_step\n"
            "    call    clip(gathered.square_sum, square_sum.whole, adam_step) -> clip, norm\n"
            "    store   norm -> train.gradient_norm[0]\n"
            "  phase update head\n"
            "    load    head.weight.weight[0] -> w.weight\n"
            "    load    head.weight.moment1[0] -> m.weight\n"
            "    load    head.weight.moment2[0] -> v.weight\n"
            "    load    head.weight.gradient[0] -> g.weight\n"
            "    load    head.bias.weight[0] -> w.bias\n"
            "    load    head.bias.moment1[0] -> m.bias\n"
            "    load    head.bias.moment2[0] -> v.bias\n"
            "    load    head.bias.gradient[0] -> sum.bias\n"
            "    load    train.adam_step[0] -> adam_step\n"
            "    call    head.update(w.weight, m.weight, v.weight, g.weight, w.bias, m.bias, v.bias, sum.bias, "
            "adam_step, clip) -> w.weight, m.weight, v.weight, w.bias, m.bias, v.bias\n"
            "    store   w.weight -> head.weight.weight[0]\n"
            "    store   m.weight -> head.weight.moment1[0]\n"
            "    store   v.weight -> head.weight.moment2[0]\n"
            "    store   w.bias -> head.bias.weight[0]\n"
            "    store   m.bias -> head.bias.moment1[0]\n"
            "    store   v.bias -> head.bias.moment2[0]\n"
            "  phase update body\n"
            "    load    body.weight.weight[0] -> w.weight\n"
            "    load    body.weight.moment1[0] -> m.weight\n"
            "    load    body.weight.moment2[0] -> v.weight\n"
            "    load    body.weight.gradient[0] -> g.weight\n"
            "    load    train.adam_step[0] -> adam_step\n"
            "    call    body.update(w.weight, m.weight, v.weight, g.weight, adam_step, clip) -> w.weight, m.weight, "
            "v.weight\n"
            "    store   w.weight -> body.weight.weight[0]\n"
            "    store   m.weight -> body.weight.moment1[0]\n"
            "    store   v.weight -> body.weight.moment2[0]\n");
}

// The update follows each gradient at once.
TEST(Lowering, PhasedWithoutClipping) {
  const Program program = lower_training(toy_model(), {}, {.prefetch_depth = 0, .loop_overlap = 0});
  EXPECT_EQ(
      to_string(program),
      "step\n"
      "  phase forward body\n"
      "    load    body.weight.weight[0] -> w.weight\n"
      "    repeat  i = 0 .. 0\n"
      "      load    train.batch.features[0] -> batch.features\n"
      "      load    train.position[0] -> position0\n"
      "      call    body.forward(batch.features, w.weight, position0) -> y_out\n"
      "      store   y_out -> train.x[0]\n"
      "  phase gradient head\n"
      "    load    head.weight.weight[0] -> w.weight\n"
      "    load    head.bias.weight[0] -> w.bias\n"
      "    zero    sum.weight\n"
      "    zero    sum.bias\n"
      "    repeat  i = 0 .. 0\n"
      "      load    train.x[0] -> x\n"
      "      load    train.batch.labels[0] -> batch.labels\n"
      "      load    train.batch.label_weights[0] -> batch.label_weights\n"
      "      load    train.loss_scale[0] -> loss_scale\n"
      "      call    head.gradient(x, w.weight, w.bias, batch.labels, batch.label_weights, loss_scale, sum.weight, "
      "sum.bias) -> "
      "dx, sum.weight, sum.bias, loss\n"
      "      store   dx -> train.dx[0]\n"
      "      store   loss -> train.loss[0]\n"
      "    load    head.weight.moment1[0] -> m.weight\n"
      "    load    head.weight.moment2[0] -> v.weight\n"
      "    load    head.bias.moment1[0] -> m.bias\n"
      "    load    head.bias.moment2[0] -> v.bias\n"
      "    load    train.adam_step[0] -> adam_step\n"
      "    call    head.update(w.weight, m.weight, v.weight, sum.weight, w.bias, m.bias, v.bias, sum.bias, "
      "adam_step) -> w.weight, m.weight, v.weight, w.bias, m.bias, v.bias\n"
      "    store   m.weight -> head.weight.moment1[0]\n"
      "    store   v.weight -> head.weight.moment2[0]\n"
      "    store   m.bias -> head.bias.moment1[0]\n"
      "    store   v.bias -> head.bias.moment2[0]\n"
      "    store   w.weight -> head.weight.weight[0]\n"
      "    store   w.bias -> head.bias.weight[0]\n"
      "  phase gradient body\n"
      "    load    body.weight.weight[0] -> w.weight\n"
      "    zero    sum.weight\n"
      "    repeat  i = 0 .. 0\n"
      "      load    train.batch.features[0] -> batch.features\n"
      "      load    train.position[0] -> position0\n"
      "      load    train.dx[0] -> dy\n"
      "      call    body.gradient(batch.features, w.weight, position0, dy, sum.weight) -> sum.weight\n"
      "    load    body.weight.moment1[0] -> m.weight\n"
      "    load    body.weight.moment2[0] -> v.weight\n"
      "    load    train.adam_step[0] -> adam_step\n"
      "    call    body.update(w.weight, m.weight, v.weight, sum.weight, adam_step) -> w.weight, m.weight, v.weight\n"
      "    store   m.weight -> body.weight.moment1[0]\n"
      "    store   v.weight -> body.weight.moment2[0]\n"
      "    store   w.weight -> body.weight.weight[0]\n");
}

// The weight is here whole; moments pass through the device slice by slice, the last of which is shorter.
TEST(Lowering, LargeVariablesAreUpdatedInSlices) {
  const Program program = lower_training(toy_model(), {}, {.update_slice = 10, .prefetch_depth = 0, .loop_overlap = 0});
  EXPECT_THAT(to_string(program),
              ::testing::HasSubstr("      store   loss -> train.loss[0]\n"
                                   "    repeat  i = 0 .. 1\n"
                                   "      load    head.weight.moment1[0] -> m.slice40\n"
                                   "      load    head.weight.moment2[0] -> v.slice40\n"
                                   "      load    train.adam_step[0] -> adam_step\n"
                                   "      call    update10.decays(w.weight, m.slice40, v.slice40, sum.weight, "
                                   "adam_step) -> w.weight, m.slice40, v.slice40\n"
                                   "      store   m.slice40 -> head.weight.moment1[0]\n"
                                   "      store   v.slice40 -> head.weight.moment2[0]\n"
                                   "    repeat  i = 2 .. 2\n"
                                   "      load    head.weight.moment1[0][80..] -> m.slice16\n"
                                   "      load    head.weight.moment2[0][80..] -> v.slice16\n"
                                   "      load    train.adam_step[0] -> adam_step\n"
                                   "      call    update4.decays(w.weight[80..], m.slice16, v.slice16, "
                                   "sum.weight[80..], adam_step) -> w.weight[80..], m.slice16, v.slice16\n"
                                   "      store   m.slice16 -> head.weight.moment1[0][80..]\n"
                                   "      store   v.slice16 -> head.weight.moment2[0][80..]\n"
                                   "    load    head.bias.moment1[0] -> m.bias\n"));
}

// Every micro-batch is a leaf of the tree, on which replicas go on together.
TEST(Lowering, ReproducibleSumsTravelInParts) {
  const Program program = lower_training(toy_model(), {},
                                         {.replicas = 2,
                                          .accumulation = 6,
                                          .rts_threshold = 10,
                                          .reproducible = true,
                                          .prefetch_depth = 0,
                                          .loop_overlap = 0});
  const std::string text = to_string(program);
  const std::string head = text.substr(text.find("  phase gradient head"));
  EXPECT_THAT(head, ::testing::HasSubstr("    repeat  i = 0 .. 5\n"
                                         "      zero    sum.weight\n"
                                         "      zero    sum.bias\n"));
  EXPECT_THAT(head, ::testing::HasSubstr("      store   loss -> train.loss[0]\n"
                                         "      add     sum.weight -> partial_sums.weight  leaf 0\n"
                                         "      add     sum.bias -> partial_sums.bias  leaf 0\n"
                                         "    reduce  partial_sums.weight -> g.weight  sum of partial sums, scatter\n"
                                         "    reduce  partial_sums.bias -> sum.bias  sum of partial sums\n"));
}

TEST(Lowering, MonolithicKeepsItsStateOnTheDevice) {
  const Program program =
      lower_training(toy_model(), {}, {.mode = Mode::monolithic, .prefetch_depth = 0, .loop_overlap = 0});
  EXPECT_EQ(to_string(program),
            "begin\n"
            "  phase load model\n"
            "    load    head.weight.weight[0] -> w.head.0.weight\n"
            "    load    head.bias.weight[0] -> w.head.0.bias\n"
            "    load    body.weight.weight[0] -> w.body.0.weight\n"
            "    load    head.weight.moment1[0] -> m.head.0.weight\n"
            "    load    head.bias.moment1[0] -> m.head.0.bias\n"
            "    load    body.weight.moment1[0] -> m.body.0.weight\n"
            "    load    head.weight.moment2[0] -> v.head.0.weight\n"
            "    load    head.bias.moment2[0] -> v.head.0.bias\n"
            "    load    body.weight.moment2[0] -> v.body.0.weight\n"
            "step\n"
            "  phase gradient model\n"
            "    zero    sum.head.0.weight\n"
            "    zero    sum.head.0.bias\n"
            "    zero    sum.body.0.weight\n"
            "    repeat  i = 0 .. 0\n"
            "      load    train.batch.features[0] -> batch.features\n"
            "      load    train.position[0] -> position0\n"
            "      load    train.batch.labels[0] -> batch.labels\n"
            "      load    train.batch.label_weights[0] -> batch.label_weights\n"
            "      load    train.loss_scale[0] -> loss_scale\n"
            "      call    model.gradient(w.body.0.weight, batch.features, position0, w.head.0.weight, w.head.0.bias, "
            "batch.labels, batch.label_weights, loss_scale, sum.head.0.weight, sum.head.0.bias, sum.body.0.weight) -> "
            "sum.head.0.weight, sum.head.0.bias, sum.body.0.weight, loss\n"
            "      store   loss -> train.loss[0]\n"
            "    load    train.adam_step[0] -> adam_step\n"
            "    call    model.update(w.head.0.weight, m.head.0.weight, v.head.0.weight, sum.head.0.weight, "
            "w.head.0.bias, m.head.0.bias, v.head.0.bias, sum.head.0.bias, w.body.0.weight, m.body.0.weight, "
            "v.body.0.weight, sum.body.0.weight, adam_step) -> w.head.0.weight, m.head.0.weight, v.head.0.weight, "
            "w.head.0.bias, m.head.0.bias, v.head.0.bias, w.body.0.weight, m.body.0.weight, v.body.0.weight\n"
            "end\n"
            "  phase store model\n"
            "    store   w.head.0.weight -> head.weight.weight[0]\n"
            "    store   w.head.0.bias -> head.bias.weight[0]\n"
            "    store   w.body.0.weight -> body.weight.weight[0]\n"
            "    store   m.head.0.weight -> head.weight.moment1[0]\n"
            "    store   m.head.0.bias -> head.bias.moment1[0]\n"
            "    store   m.body.0.weight -> body.weight.moment1[0]\n"
            "    store   v.head.0.weight -> head.weight.moment2[0]\n"
            "    store   v.head.0.bias -> head.bias.moment2[0]\n"
            "    store   v.body.0.weight -> body.weight.moment2[0]\n");
}

TEST(Lowering, Inference) {
  EXPECT_EQ(to_string(lower_inference(
                toy_model(),
                {.replicas = 2, .accumulation = 2, .rts_threshold = 10, .prefetch_depth = 0, .loop_overlap = 0})),
            "step\n"
            "  phase forward body\n"
            "    load    body.weight.weight[0] -> w.weight\n"
            "    gather  w.weight -> gathered.weight\n"
            "    repeat  i = 0 .. 1\n"
            "      load    infer.batch.features[0] -> batch.features\n"
            "      load    infer.position[0] -> position0\n"
            "      call    body.forward(batch.features, gathered.weight, position0) -> y_out\n"
            "      store   y_out -> infer.x[0]\n"
            "  phase forward head\n"
            "    load    head.weight.weight[0] -> w.weight\n"
            "    load    head.bias.weight[0] -> w.bias\n"
            "    gather  w.weight -> gathered.weight\n"
            "    repeat  i = 0 .. 1\n"
            "      load    infer.x[0] -> x\n"
            "      call    head.forward(x, gathered.weight, w.bias) -> result.logits\n"
            "      store   result.logits -> infer.result.logits[0]\n");
}

// The weights of the second phase come during the first, each row of x as soon as it is stored.
TEST(Lowering, InferenceAheadOfCompute) {
  EXPECT_EQ(to_string(lower_inference(toy_model(), {.accumulation = 2, .prefetch_depth = 1, .loop_overlap = 1})),
            "step\n"
            "  phase forward body\n"
            "    load    body.weight.weight[0] -> w.weight  issue\n"
            "    load    infer.batch.features[0] -> batch.features#0  issue\n"
            "    load    infer.position[0] -> position0#0  issue\n"
            "    load    head.weight.weight[0] -> forward head/w.weight  issue\n"
            "    load    head.bias.weight[0] -> forward head/w.bias  issue\n"
            "    repeat  i = 0 .. 0\n"
            "      load    infer.batch.features[1] -> batch.features#1  issue\n"
            "      load    infer.position[1] -> position0#1  issue\n"
            "      wait    batch.features#0, w.weight, position0#0\n"
            "      call    body.forward(batch.features#0, w.weight, position0#0) -> y_out#0\n"
            "      store   y_out#0 -> infer.x[0]  issue\n"
            "    repeat  i = 1 .. 1\n"
            "      load    infer.x[0] -> forward head/x#0  issue\n"
            "      wait    batch.features#1, position0#1\n"
            "      call    body.forward(batch.features#1, w.weight, position0#1) -> y_out#1\n"
            "      store   y_out#1 -> infer.x[1]  issue\n"
            "  phase forward head\n"
            "    repeat  i = 0 .. 0\n"
            "      load    infer.x[1] -> x#1  issue\n"
            "      wait    forward body/y_out#0, x#0, w.weight, w.bias\n"
            "      call    head.forward(x#0, w.weight, w.bias) -> result.logits#0\n"
            "      store   result.logits#0 -> infer.result.logits[0]  issue\n"
            "    repeat  i = 1 .. 1\n"
            "      wait    forward body/y_out#1, x#1\n"
            "      call    head.forward(x#1, w.weight, w.bias) -> result.logits#1\n"
            "      store   result.logits#1 -> infer.result.logits[1]  issue\n"
            "    wait    result.logits#0, result.logits#1\n");
}

// A table of five rows in three slices, looked up for the toy's head.
Stages sliced_table() {
  Stage stage{.name = "table", .instances = 3, .sliced_rows = 5};
  StageBuilder b(stage);
  const Value partial = b.partial_in({DType::f32, {kToySamples, kToyHidden}});
  const Value table = b.variable("table", {2, kToyHidden}, {}, true);
  const Value ids = b.batch("ids", {DType::i32, {kToySamples}});
  b.activation_out(b.embedding_slice(partial, table, ids, b.position(), {.whole = 5}));
  return {stage, toy_head()};
}

// Slices make x[0] in turn, and all take their gradients from dx[0].
TEST(Lowering, SlicedStage) {
  const std::string text = to_string(lower_training(sliced_table(), {}, {.prefetch_depth = 0, .loop_overlap = 0}));
  EXPECT_EQ(text.substr(0, text.find("  phase gradient head")),
            "step\n"
            "  phase forward table\n"
            "    load    table.table.weight[0] -> w.table\n"
            "    repeat  i = 0 .. 0\n"
            "      zero    partial\n"
            "      load    train.batch.ids[0] -> batch.ids\n"
            "      load    train.position[0] -> position0\n"
            "      call    table.forward(partial, w.table, batch.ids, position0) -> y_out\n"
            "      store   y_out -> train.x[0]\n"
            "  phase forward table  for n = 1 .. 2\n"
            "    load    table.table.weight[1] -> w.table\n"
            "    repeat  i = 0 .. 0\n"
            "      load    train.x[0] -> partial\n"
            "      load    train.batch.ids[0] -> batch.ids\n"
            "      load    train.position[1] -> position0\n"
            "      call    table.forward(partial, w.table, batch.ids, position0) -> y_out\n"
            "      store   y_out -> train.x[0]\n");
  EXPECT_EQ(text.substr(text.find("  phase gradient table")),
            "  phase gradient table  for n = 2 .. 0\n"
            "    zero    sum.table\n"
            "    repeat  i = 0 .. 0\n"
            "      load    train.batch.ids[0] -> batch.ids\n"
            "      load    train.position[2] -> position0\n"
            "      load    train.dx[0] -> dy\n"
            "      call    table.gradient(batch.ids, position0, dy, sum.table) -> sum.table\n"
            "    load    table.table.weight[2] -> w.table\n"
            "    load    table.table.moment1[2] -> m.table\n"
            "    load    table.table.moment2[2] -> v.table\n"
            "    load    train.adam_step[0] -> adam_step\n"
            "    call    table.update(w.table, m.table, v.table, sum.table, adam_step) -> w.table, m.table, v.table\n"
            "    store   w.table -> table.table.weight[2]\n"
            "    store   m.table -> table.table.moment1[2]\n"
            "    store   v.table -> table.table.moment2[2]\n");
}

}  // namespace
}  // namespace phasor::test
