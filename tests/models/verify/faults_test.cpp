// Faults that are planted one at a time are found, each at its step and, within it, at its place; and where rounding
// differs as it may, they are found all the same.
#include "tests/models/verify/faults.h"

#include <gtest/gtest.h>

#include "tests/models/verify/verify_fixture.h"

namespace phasor::run::verify_tests {
namespace {

// What is wrong with the first execution, and where that has to be found.
struct Planted {
  const char* name;
  std::function<ExecutionParts()> parts;
  std::int64_t step;
  const char* phase;
  int micro_batch;  // -1: of all
  const char* tensor;
};

ExecutionParts with_program(std::function<void(Program&)> change) {
  return {
      .store = nullptr,
      .change = [change = std::move(change)](LoweredTraining& lowered) { change(lowered.pipeline.devices.front()); },
      .touch = nullptr};
}

ExecutionParts with_store(FaultyStore::Fault fault, const char* region, std::int64_t offset, int count) {
  return {.store = std::make_unique<FaultyStore>(fault, region, offset, count), .change = nullptr, .touch = nullptr};
}

// Of a row. Layer 1's follows layer 0's; the rows of the second replica follow both.
constexpr std::int64_t kBiasBytes = 16 * 4;

const Planted kPlanted[] = {
    {"dropout_site", [] { return with_program([](Program& p) { change_sites(p, "layer.forward"); }); }, 1,
     "forward layer 0", 0, "layer.0.attention.output.LayerNorm.sum"},
    {"row_index",
     [] {
       return with_program(
           [](Program& p) { shift_row(p, "forward layer", 1, -1, transfer_of(p, StepKind::load, "train.x", 2)); });
     },
     1, "forward layer 1", 2, "layer.0.output.LayerNorm.y"},
    {"all_reduce",
     [] {
       return with_program([](Program& p) {
         leave_out(p, "gradient layer", 1, [&p](const Step& step) {
           return step.kind == StepKind::all_reduce &&
                  p.slots[static_cast<std::size_t>(step.slot)].name.ends_with("output.dense.bias");
         });
       });
     },
     1, "gradient layer 1", -1, "moment1/bert.encoder.layer.1.attention.output.dense.bias"},
    {"remainder_loop",
     [] {
       return ExecutionParts{
           .store = nullptr, .change = nullptr, .touch = broken_remainder("layer.1.intermediate.dense")};
     },
     1, "forward layer 1", 0, "layer.1.intermediate.dense"},
    {"moment_of_another_row",
     [] {
       return with_program([](Program& p) {
         shift_row(p, "gradient layer", 1, -1, transfer_of(p, StepKind::store, "layer.output.dense.bias.moment2"));
       });
     },
     1, "gradient layer 1", -1, "moment2/bert.encoder.layer.1.output.dense.bias"},
    // The row of the first activation is read in the forward phase of each step and in its gradient phase.
    {"stale_load", [] { return with_store(FaultyStore::Fault::stale_read, "train.x", 0, 5); }, 3, "forward embedding",
     0, "word_embedding.0.word_embeddings"},
    // Written first when it is initialised.
    {"flipped_bit",
     [] { return with_store(FaultyStore::Fault::flipped_bit, "layer.output.dense.bias.weight", kBiasBytes, 8); }, 7,
     "gradient layer 1", -1, "weight/bert.encoder.layer.1.output.dense.bias"},
};

class Faults : public Verifying, public ::testing::WithParamInterface<Planted> {
 protected:
  Faults() {
    config_.execution.data_parallel = 2;
    config_.execution.replicated_tensor_sharding = false;
    config_.execution.recompute = Recompute::layer;
    config_.execution.zero_copy = false;              // rows are moved, so that it shows when that goes wrong
    test::bert_of(config_).initializer_range = 0.5f;  // so that every part of the model counts
    request_.parts = [](std::size_t i) { return i == 0 ? GetParam().parts() : ExecutionParts{}; };
    request_.steps = 8;
  }
};

TEST_P(Faults, AreFoundWhereTheyAre) {
  const Planted& planted = GetParam();
  request_.activations = true;
  const VerifyResult result = verified();
  const VerifiedPair& pair = result.pairs.at(0);
  ASSERT_FALSE(pair.equal());
  const VerifiedPlace& place = pair.first->place;
  EXPECT_EQ(place.step, planted.step) << to_text(result);
  EXPECT_EQ(place.phase, planted.phase) << to_text(result);
  EXPECT_EQ(place.micro_batch, planted.micro_batch) << to_text(result);
  EXPECT_EQ(place.tensor, planted.tensor) << to_text(result);
}

std::string name_of_fault(const ::testing::TestParamInfo<Planted>& info) { return info.param.name; }

INSTANTIATE_TEST_SUITE_P(All, Faults, ::testing::ValuesIn(kPlanted), name_of_fault);

// In the other execution, which rounds otherwise.
class FaultsUnderRounding : public Faults {
 protected:
  FaultsUnderRounding() {
    request_.parts = [](std::size_t i) { return i == 1 ? GetParam().parts() : ExecutionParts{}; };
  }

  void expect_found(const Settings& other) {
    request_.activations = true;
    request_.against = {other};
    const VerifyResult result = verified();
    const VerifiedPair& pair = result.pairs.at(0);
    ASSERT_TRUE(pair.rounding);
    ASSERT_TRUE(pair.rounding->beyond) << to_text(result);
    EXPECT_EQ(pair.rounding->beyond->place.step, GetParam().step) << to_text(result);
    EXPECT_EQ(pair.rounding->beyond->place.phase, GetParam().phase) << to_text(result);
  }
};

TEST_P(FaultsUnderRounding, AreFoundInAnotherOrderOfSums) {
  config_.execution.data_parallel = 1;
  expect_found({{"execution.data_parallel", "2"}});
}

TEST_P(FaultsUnderRounding, AreFoundInBfloat16) { expect_found({{"model.precision", "bfloat16"}}); }

INSTANTIATE_TEST_SUITE_P(All, FaultsUnderRounding, ::testing::ValuesIn(kPlanted), name_of_fault);

}  // namespace
}  // namespace phasor::run::verify_tests
