// Rows are complete and in order where it compiles; here, that they make sense, and that nodes are held to them.
#include "engine/ir/op_table.h"

#include <gtest/gtest.h>
#include <set>

#include "engine/ir/operands.h"
#include "tests/support/message.h"

namespace phasor::test {
namespace {

TEST(OpTable, NamesTellOpsAndOperandsApart) {
  std::set<std::string_view> ops;
  for (const OpInfo& info : op_rows::kTable) {
    EXPECT_TRUE(ops.insert(info.name).second) << info.name;
    std::set<std::string_view> inputs, outputs;
    for (std::size_t k = 0; k < info.count_inputs(); ++k) inputs.insert(info.input(k).name);
    for (std::size_t k = 0; k < info.count_outputs(); ++k) outputs.insert(info.output(k));
    EXPECT_EQ(inputs.size(), info.count_inputs()) << info.name;
    EXPECT_EQ(outputs.size(), info.count_outputs()) << info.name;
  }
}

// What the cuts of samples look for is there.
TEST(OpTable, OperandsHaveTheRolesThatTheirCutWants) {
  using enum OperandRole;
  for (const OpInfo& info : op_rows::kTable) {
    SCOPED_TRACE(info.name);
    if (info.cut == SampleCut::rows || info.cut == SampleCut::elements) info.input_of(rows);
    if (info.cut == SampleCut::lookup) info.input_of(ids);
    if (info.cut == SampleCut::attention) info.input_of(qkv);
    if (info.cut == SampleCut::vocabulary) info.input_of(left), info.input_of(right);
    if (info.cut == SampleCut::product) info.input_of(left), info.input_of(right);
    const bool makes_images = info.op == Op::conv2d_input_gradient || info.op == Op::max_pool2d_gradient;
    if (info.cut == SampleCut::images && !makes_images) info.input_of(images);
  }
}

std::string refusal(Op op, int inputs, const Attributes& attributes) {
  return message_of<InternalError>([&] {
    output_specs(op, Specs(static_cast<std::size_t>(inputs), {DType::f32, {4, 4}}), attributes);
  });
}

TEST(OpTable, InputsAreCounted) {
  EXPECT_EQ(refusal(Op::gelu, 0, NoAttributes{}), "gelu: 0 inputs, expected 1");
  EXPECT_EQ(refusal(Op::places, 0, ShapeAttributes{}), "places: 0 inputs, expected 1");
  EXPECT_EQ(refusal(Op::matmul, 4, MatmulAttributes{}), "matmul: 4 inputs, expected 2 to 3");
  EXPECT_EQ(refusal(Op::pack, 3, PackAttributes{}), "pack: 3 inputs, but attributes of 0");
  EXPECT_EQ(refusal(Op::matmul, 2, MatmulAttributes{}), "no error");
}

TEST(OpTable, InputsAreNamed) {
  EXPECT_EQ(refusal(Op::layer_norm, 3, NormAttributes{}), "layer_norm: gamma is f32[4, 4], expected f32[4]");
}

TEST(OpTable, OperandsAreFoundByName) {
  const Node node{.op = Op::adam, .attributes = {}, .inputs = {{0}, {1}, {2}, {3}, {4}}, .outputs = {{5}, {6}, {7}}};
  const auto in = inputs_of<Op::adam>(node);
  EXPECT_EQ(in["step"], Value{4});
  EXPECT_FALSE(in.has("clip"));
  EXPECT_TRUE(in.has("g"));
  EXPECT_EQ(outputs_of<Op::adam>(node)["v"], Value{7});
}

}  // namespace
}  // namespace phasor::test
