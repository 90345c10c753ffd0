// Folders of a GPT-2 as Transformers writes or wrote them, made here from a model of a few numbers.
#include <gtest/gtest.h>
#include <numeric>

#include "io/safetensors/safetensors_writer.h"
#include "models/gpt2/stages.h"
#include "models/transformers/folder_weights.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::transformers {
namespace {

const gpt2::Config kTinyGpt2{.layers = 2,
                             .hidden_size = 6,
                             .heads = 2,
                             .intermediate_size = 5,
                             .sequence_length = 4,
                             .max_positions = 7,
                             .vocab_size = 9};
constexpr const char* kTable = "transformer.wte.weight";

class Gpt2WeightsTest : public testing::Test {
 protected:
  struct Stored {
    Shape shape;
    std::vector<float> values;
  };

  Gpt2WeightsTest() {
    for (const CanonicalTensor& tensor : tensors_) {
      Stored stored{tensor.shape, std::vector<float>(static_cast<std::size_t>(tensor.shape.elements()))};
      std::iota(stored.values.begin(), stored.values.end(), 1000.0f * static_cast<float>(stored_.size()));
      stored_.emplace(tensor.name, std::move(stored));
    }
  }

  void write(const std::map<std::string, Stored>& all) {
    std::vector<io::TensorToStore> tensors;
    for (const auto& [name, stored] : all) tensors.push_back({name, stored.shape});
    io::SafetensorsWriter writer(folder_.file("model.safetensors"), io::StoredType::f32, tensors);
    for (const auto& [name, stored] : all) writer.write(stored.values);
    writer.close();
  }
  FolderWeights open() { return {folder_.path(), gpt2_tensor_names(), tensors_}; }
  void expect_all() {
    const FolderWeights weights = open();
    EXPECT_TRUE(weights.has_head());
    for (const CanonicalTensor& tensor : tensors_) {
      EXPECT_EQ(weights.read(tensor), stored_.at(tensor.name).values) << tensor.name;
    }
  }
  std::map<std::string, Stored> without_prefix() const {
    std::map<std::string, Stored> bare;
    for (const auto& [name, stored] : stored_) bare.emplace(name.substr(std::string("transformer.").size()), stored);
    return bare;
  }
  std::string error() {
    return test::message_of([&] { open(); });
  }

  test::TemporaryFolder folder_;
  const std::vector<CanonicalTensor> tensors_ = canonical_tensors(gpt2::inference_stages(kTinyGpt2, 1));
  std::map<std::string, Stored> stored_;
  const std::string subject_ = "transformers: '" + folder_.path() + "' ";
};

TEST_F(Gpt2WeightsTest, NamesAndShapesAreThoseOfTheStateDict) {
  EXPECT_EQ(stored_.size(), 28u);  // 12 of a layer, two tables, the last norm
  EXPECT_EQ(stored_.at(kTable).shape, Shape({9, 6}));
  EXPECT_EQ(stored_.at("transformer.wpe.weight").shape, Shape({7, 6}));
  EXPECT_EQ(stored_.at("transformer.h.1.attn.c_attn.weight").shape, Shape({6, 18}));
  EXPECT_EQ(stored_.at("transformer.h.1.attn.c_proj.weight").shape, Shape({6, 6}));
  EXPECT_EQ(stored_.at("transformer.h.1.mlp.c_fc.weight").shape, Shape({6, 5}));
  EXPECT_EQ(stored_.at("transformer.h.1.mlp.c_proj.weight").shape, Shape({5, 6}));
  EXPECT_EQ(stored_.at("transformer.ln_f.bias").shape, Shape({6}));
  write(stored_);
  expect_all();
}

TEST_F(Gpt2WeightsTest, WithoutPrefixAndWithBuffers) {
  std::map<std::string, Stored> all = without_prefix();
  all["h.0.attn.bias"] = {Shape({1, 1, 7, 7}), std::vector<float>(49, 1)};
  all["h.0.attn.masked_bias"] = {Shape({1}), {-1e4f}};
  all["score.weight"] = {Shape({2, 6}), std::vector<float>(12)};
  write(all);
  expect_all();
  EXPECT_EQ(open().unused(), std::vector<std::string>{"score.weight"});
}

TEST_F(Gpt2WeightsTest, AHeadThatIsTheTable) {
  stored_["lm_head.weight"] = stored_.at(kTable);
  write(stored_);
  expect_all();
  EXPECT_TRUE(open().unused().empty());
}

TEST_F(Gpt2WeightsTest, AHeadOfItsOwn) {
  stored_["lm_head.weight"] = stored_.at(kTable);
  stored_["lm_head.weight"].values[7] = -0.25f;
  write(stored_);
  const std::vector<float>& words = stored_.at(kTable).values;
  EXPECT_EQ(error(), subject_ + fmt::format("has '{}' and 'lm_head.weight', which differ at element 7: {} and -0.25. "
                                            "In Phasor's model they are one",
                                            kTable, words[7]));
  stored_["lm_head.weight"] = {Shape({9, 5}), std::vector<float>(45)};
  write(stored_);
  EXPECT_EQ(error(), subject_ + "has 'lm_head.weight', F32[9, 5], which should be 'transformer.wte.weight', F32[9, 6]");
}

TEST_F(Gpt2WeightsTest, SaysWhatIsMissingOrOfAnotherModel) {
  std::map<std::string, Stored> all = stored_;
  all.erase("transformer.ln_f.weight");
  write(all);
  EXPECT_EQ(error(), subject_ + "has no tensor 'transformer.ln_f.weight', the model of its config.json does");
  all = stored_;
  all["wpe.weight"] = all.at("transformer.wpe.weight");
  write(all);
  EXPECT_EQ(error(), subject_ + "has both 'transformer.wpe.weight' and 'wpe.weight', two names of one tensor");
  all = stored_;
  all["transformer.h.0.mlp.c_fc.weight"].shape = Shape({5, 6});  // as a linear layer has it
  write(all);
  EXPECT_EQ(error(), "transformers: '" + folder_.file("model.safetensors") +
                         "' tensor 'transformer.h.0.mlp.c_fc.weight' is F32[5, 6], that of the model of its "
                         "config.json is [6, 5]");
}

}  // namespace
}  // namespace phasor::transformers
