// Folders as Transformers writes or wrote them, made here from a model of a few numbers.
#include "models/transformers/folder_weights.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>

#include "io/safetensors/safetensors_writer.h"
#include "models/bert/stages.h"
#include "models/transformers/folder_writer.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::transformers {
namespace {

const bert::Config kModel{.layers = 2,
                          .hidden_size = 6,
                          .heads = 2,
                          .intermediate_size = 5,
                          .sequence_length = 4,
                          .max_positions = 7,
                          .vocab_size = 9};

// Every tensor's elements differ from those of all others.
std::vector<float> values_of(const CanonicalTensor& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.shape.elements()));
  const auto first = static_cast<float>(std::hash<std::string>()(tensor.name) % 100'000);
  std::iota(values.begin(), values.end(), first);
  return values;
}

class FolderWeightsTest : public testing::Test {
 protected:
  using Rename = std::function<std::string(const std::string&)>;

  std::string path(const std::string& name) const { return folder_.file(name); }

  // Writes the chosen tensors; those that become "" are left out.
  void write(const std::string& file, const Rename& rename) {
    std::vector<io::TensorToStore> stored;
    std::vector<std::vector<float>> values;
    for (const CanonicalTensor& tensor : tensors_) {
      const std::string name = rename(tensor.name);
      if (name.empty()) continue;
      stored.push_back({name, tensor.shape});
      values.push_back(values_of(tensor));
    }
    io::SafetensorsWriter writer(path(file), io::StoredType::f32, stored);
    for (const auto& list : values) writer.write(list);
    writer.close();
  }
  void expect_all(const FolderWeights& weights) {
    for (const CanonicalTensor& tensor : tensors_) EXPECT_EQ(weights.read(tensor), values_of(tensor)) << tensor.name;
  }
  std::string error() {
    return test::message_of([&] { FolderWeights weights(folder_.path(), bert_tensor_names(), tensors_); });
  }

  test::TemporaryFolder folder_;
  const std::vector<CanonicalTensor> tensors_ = canonical_tensors(bert::inference_stages(kModel, 1));
  const std::string subject_ = "transformers: '" + folder_.path() + "' ";
};

std::string same(const std::string& name) { return name; }

TEST_F(FolderWeightsTest, OneFile) {
  write("model.safetensors", same);
  const FolderWeights weights(folder_.path(), bert_tensor_names(), tensors_);
  EXPECT_TRUE(weights.has_head());
  EXPECT_TRUE(weights.unused().empty());
  expect_all(weights);
}

TEST_F(FolderWeightsTest, OldNamesWithoutPrefix) {
  write("model.safetensors", [](std::string name) {
    if (name.starts_with("bert.")) name.erase(0, 5);
    if (const auto at = name.find("LayerNorm.weight"); at != name.npos) name.replace(at, 16, "LayerNorm.gamma");
    if (const auto at = name.find("LayerNorm.bias"); at != name.npos) name.replace(at, 14, "LayerNorm.beta");
    return name;
  });
  expect_all(FolderWeights(folder_.path(), bert_tensor_names(), tensors_));
}

TEST_F(FolderWeightsTest, WithoutHeadAndWithWhatIsNotUsed) {
  write("model.safetensors", [](const std::string& name) {
    return name == "qa_outputs.weight" ? "cls.predictions.weight" : name == "qa_outputs.bias" ? "pooler.bias" : name;
  });
  const FolderWeights weights(folder_.path(), bert_tensor_names(), tensors_);
  EXPECT_FALSE(weights.has_head());
  EXPECT_FALSE(weights.has(tensors_.back()));
  EXPECT_EQ(weights.unused(), (std::vector<std::string>{"pooler.bias", "cls.predictions.weight"}));
}

TEST_F(FolderWeightsTest, NumbersThatAreNotFinite) {
  for (const io::StoredType type : {io::StoredType::f32, io::StoredType::f16, io::StoredType::bf16}) {
    for (const float wrong : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      std::vector<io::TensorToStore> stored;
      for (const CanonicalTensor& tensor : tensors_) stored.push_back({tensor.name, tensor.shape});
      io::SafetensorsWriter writer(path("model.safetensors"), type, stored);
      for (std::size_t i = 0; i < tensors_.size(); ++i) {
        std::vector<float> values(static_cast<std::size_t>(tensors_[i].shape.elements()), 1);
        if (i == 3) values[4] = wrong;
        writer.write(values);
      }
      writer.close();
      const FolderWeights weights(folder_.path(), bert_tensor_names(), tensors_);
      EXPECT_EQ(weights.read(tensors_[2])[4], 1);
      EXPECT_EQ(test::message_of([&] { weights.read(tensors_[3]); }),
                fmt::format("transformers: '{}' tensor '{}' has {} as element 4, expected finite numbers",
                            path("model.safetensors"), tensors_[3].name, wrong));
    }
  }
}

class Shards : public FolderWeightsTest {
 protected:
  void SetUp() override {
    write("model-1.safetensors", [](const std::string& name) { return name.find("layer.0") != name.npos ? name : ""; });
    write("model-2.safetensors", [](const std::string& name) { return name.find("layer.0") != name.npos ? "" : name; });
    for (const CanonicalTensor& tensor : tensors_) {
      const bool first = tensor.name.find("layer.0") != tensor.name.npos;
      index_["weight_map"][tensor.name] = first ? "model-1.safetensors" : "model-2.safetensors";
    }
  }
  std::string error_of_index() {
    std::ofstream(index_path_) << index_;
    return error();
  }
  nlohmann::json index_;
  const std::string index_path_ = path("model.safetensors.index.json");
  const std::string index_subject_ = "transformers: '" + index_path_ + "' ";
};

TEST_F(Shards, AreOneModel) {
  EXPECT_EQ(error_of_index(), "no error");
  expect_all(FolderWeights(folder_.path(), bert_tensor_names(), tensors_));
}

TEST_F(Shards, WhoseIndexIsWrong) {
  nlohmann::json& map = index_["weight_map"];
  const nlohmann::json good = map;
  map["qa_outputs.bias"] = "model-1.safetensors";
  EXPECT_EQ(error_of_index(), index_subject_ + "says that tensor 'qa_outputs.bias' is in '" +
                                  path("model-1.safetensors") + "', which has none of that name");
  map = good;
  for (const nlohmann::json& file : {nlohmann::json("../x.safetensors"), nlohmann::json("x.bin"), nlohmann::json(3)}) {
    map["qa_outputs.bias"] = file;
    EXPECT_EQ(error_of_index(), index_subject_ + "has " + file.dump() +
                                    " for tensor 'qa_outputs.bias', expected a .safetensors file beside it");
  }
  map["qa_outputs.bias"] = "model-3.safetensors";
  EXPECT_EQ(error_of_index(),
            "safetensors: '" + path("model-3.safetensors") + "' cannot be opened: No such file or directory");
  index_ = {{"weights", good}};
  EXPECT_EQ(error_of_index(), index_subject_ + "has no weight_map, an object");
}

TEST_F(FolderWeightsTest, SaysWhatIsMissingOrOfAnotherModel) {
  EXPECT_EQ(error(), subject_ + "has no model.safetensors. Is it the folder of a model?");
  std::ofstream(path("pytorch_model.bin")) << "x";
  EXPECT_EQ(error(), subject_ +
                         "has its weights in pytorch_model.bin only, which runs code when it is read. Load it in "
                         "Transformers and save_pretrained it: that writes model.safetensors");
  write("model.safetensors", [](const std::string& name) { return name == "qa_outputs.bias" ? "" : name; });
  EXPECT_EQ(error(), subject_ + "has no tensor 'qa_outputs.bias', the model of its config.json does");
  const std::string norm = "bert.embeddings.LayerNorm.weight", twin = "bert.embeddings.LayerNorm.bias";
  write("model.safetensors", [&](const std::string& name) { return name == norm ? "" : name; });
  EXPECT_EQ(error(), subject_ + "has no tensor '" + norm + "', the model of its config.json does");
  write("model.safetensors",
        [&](const std::string& name) { return name == twin ? "embeddings.LayerNorm.gamma" : name; });
  EXPECT_EQ(error(), subject_ + "has both '" + norm + "' and 'embeddings.LayerNorm.gamma', two names of one tensor");
  write("model.safetensors", [&](const std::string& name) {
    return name == "qa_outputs.bias" ? norm : name == norm ? "qa_outputs.bias" : name;
  });
  EXPECT_EQ(error(), "transformers: '" + path("model.safetensors") + "' tensor '" + norm +
                         "' is F32[2], that of the model of its config.json is [6]");
}

TEST_F(FolderWeightsTest, AFolderThatWasWrittenIsReadBack) {
  const std::string target = path("written");
  write_folder(target, {.texts = {{"config.json", "{}"}}, .tensors = tensors_, .read = values_of});
  expect_all(FolderWeights(target, bert_tensor_names(), tensors_));
  check_replaceable(target, true);
  EXPECT_EQ(test::message_of([&] { check_replaceable(target, false); }),
            "convert: '" + target + "' exists and is not empty. Choose another folder, or give --force to replace it");
  std::ofstream(target + "/thesis.tex") << "years";
  EXPECT_EQ(test::message_of([&] { check_replaceable(target, true); }),
            "convert: '" + target +
                "' has 'thesis.tex', which convert never wrote: even --force replaces only folders of config.json, "
                "vocab.txt, vocab.json, merges.txt, tokenizer_config.json, model.safetensors. Choose another");
  check_replaceable(path("new"), false);
}

}  // namespace
}  // namespace phasor::transformers
