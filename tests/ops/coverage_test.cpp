// Every op has a case that runs its fast kernel, and every op with a gradient rule one that differentiates it.
#include <set>

#include "engine/ir/op_table.h"
#include "engine/runtime/packing.h"
#include "engine/transform/gradients/rules.h"
#include "tests/ops/op_case.h"

namespace phasor::test {
namespace {

// Without oneDNN nothing gains by packing, so no graph has the op.
bool lays_weights_out_anew() { return packed_elements({DType::f32, {kLeastPacked, kLeastPacked}}, false) > 0; }

TEST(Ops, EveryOpHasACase) {
  std::set<Op> covered, differentiated;
  for (const auto& cases : {matmul_cases(), elementwise_cases(), gelu_cases(), dropout_cases(), norm_cases(),
                            embedding_cases(), attention_cases(), relu_cases(), convolution_cases(), pooling_cases(),
                            loss_cases(), vocabulary_cases(), layout_cases(), optimizer_cases()}) {
    for (const OpCase& c : cases) {
      for (const Node& node : c.graph.nodes) {
        covered.insert(node.op);
        if (!c.differentiable.empty()) differentiated.insert(node.op);
      }
    }
  }
  for (int i = 0; i < kOps; ++i) {
    const Op op{static_cast<std::uint8_t>(i)};
    EXPECT_EQ(covered.contains(op), op != Op::pack || lays_weights_out_anew()) << op_info(op).name;
    EXPECT_EQ(differentiated.contains(op), gradient_rule(op) != nullptr) << op_info(op).name;
  }
}

}  // namespace
}  // namespace phasor::test
