// What instances carry from run to run passes through buffers that programs share; where the model is resident, it
// stays on the device with the weights.
#include <gtest/gtest.h>

#include "engine/ir/stage_builder.h"
#include "engine/lower/lowering.h"
#include "engine/program/printer.h"

namespace phasor::test::carried {
namespace {

Stage layer() {
  Stage stage{.name = "layer", .instances = 2};
  StageBuilder b(stage);
  const Value weight = b.variable("weight", {2, 6}, {}, true);
  const Value qkv = b.matmul(b.activation_in({DType::f32, {1, 2, 2}}), weight);
  const Value places = b.batch("places", {DType::i32, {1, 2}}), last = b.batch("last", {DType::i32, {1}});
  const Value before = b.carried_in("cache", {DType::f32, {1, 4, 4}});
  const auto [after, out] = b.attention_cached(before, qkv, places, last, {.heads = 1});
  b.carried_out("cache", after);
  b.activation_out(out);
  return stage;
}

Stages model() {
  Stage first{.name = "first"}, last{.name = "last"};
  StageBuilder a(first), b(last);
  const Value of_first = a.variable("shift", {2}, {}, true), of_last = b.variable("shift", {2}, {}, true);
  a.activation_out(a.add(a.batch("x", {DType::f32, {1, 2, 2}}), of_first));
  b.result("y", b.add(b.activation_in({DType::f32, {1, 2, 2}}), of_last));
  return {first, layer(), last};
}

TEST(Carried, GoesThroughBuffersThatHaveNoProgramsName) {
  EXPECT_EQ(
      to_string(lower_inference(model(), {.accumulation = 2, .prefetch_depth = 0, .loop_overlap = 0}, "next")),
      "step\n"
      "  phase forward first\n"
      "    load    first.shift.weight[0] -> w.shift\n"
      "    repeat  i = 0 .. 1\n"
      "      load    next.batch.x[0] -> batch.x\n"
      "      call    first.forward(w.shift, batch.x) -> y_out\n"
      "      store   y_out -> next.x[0]\n"
      "  phase forward layer  for n = 0 .. 1\n"
      "    load    layer.weight.weight[0] -> w.weight\n"
      "    repeat  i = 0 .. 1\n"
      "      load    next.x[0] -> x\n"
      "      load    next.batch.places[0] -> batch.places\n"
      "      load    next.batch.last[0] -> batch.last\n"
      "      load    carried.layer.cache[0] -> carried.cache\n"
      "      call    layer.forward(w.weight, x, batch.places, batch.last, carried.cache) -> y_out, carried.cache\n"
      "      store   y_out -> next.x[2]\n"
      "      store   carried.cache -> carried.layer.cache[0]\n"
      "  phase forward last\n"
      "    load    last.shift.weight[0] -> w.shift\n"
      "    repeat  i = 0 .. 1\n"
      "      load    next.x[0] -> x\n"
      "      call    last.forward(w.shift, x) -> result.y\n"
      "      store   result.y -> next.result.y[0]\n");
}

TEST(Carried, StaysOnTheDeviceWithTheModel) {
  EXPECT_EQ(to_string(lower_inference(model(), {.mode = Mode::monolithic, .prefetch_depth = 0, .loop_overlap = 0})),
            "begin\n"
            "  phase load model\n"
            "    load    last.shift.weight[0] -> w.last.0.shift\n"
            "    load    layer.weight.weight[1] -> w.layer.1.weight\n"
            "    load    layer.weight.weight[0] -> w.layer.0.weight\n"
            "    load    first.shift.weight[0] -> w.first.0.shift\n"
            "    load    carried.layer.cache[0] -> carried.layer.0.cache.0\n"
            "    load    carried.layer.cache[1] -> carried.layer.1.cache.0\n"
            "step\n"
            "  phase forward model\n"
            "    repeat  i = 0 .. 0\n"
            "      load    infer.batch.x[0] -> batch.x\n"
            "      load    infer.batch.places[0] -> batch.places\n"
            "      load    infer.batch.last[0] -> batch.last\n"
            "      call    model.forward(w.first.0.shift, batch.x, w.layer.0.weight, batch.places, batch.last, "
            "carried.layer.0.cache.0, w.layer.1.weight, carried.layer.1.cache.0, w.last.0.shift) -> result.y, "
            "carried.layer.0.cache.0, carried.layer.1.cache.0\n"
            "      store   result.y -> infer.result.y[0]\n"
            "end\n"
            "  phase store model\n"
            "    store   carried.layer.0.cache.0 -> carried.layer.cache[0]\n"
            "    store   carried.layer.1.cache.0 -> carried.layer.cache[1]\n");
}

TEST(Carried, IsKeptInThePrecisionOfCompute) {
  const Stages prepared = prepare_stages(model(), Precision::bfloat16);
  const auto& [name, before, after] = prepared[1].carried.front();
  EXPECT_EQ(prepared[1].graph.spec(before), (TensorSpec{DType::bf16, {1, 4, 4}}));
  EXPECT_EQ(prepared[1].graph.spec(after), prepared[1].graph.spec(before));
}

}  // namespace
}  // namespace phasor::test::carried
