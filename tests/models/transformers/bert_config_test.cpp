#include "models/transformers/bert_config.h"

#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::transformers {
namespace {

using nlohmann::json;
using Dropouts = std::vector<std::pair<std::string, float>>;

class BertConfigTest : public testing::Test {
 protected:
  FolderConfig read(const std::string& text) {
    std::ofstream(folder_.file("config.json")) << text;
    return read_bert_config(folder_.path(), {.sequence_length = 33});
  }
  bert::Config read_model(const std::string& text) { return std::get<bert::Config>(read(text).model); }
  std::string error_with(const char* key, const json& value) {
    json document = json::parse(bert_config_json(model_, io::StoredType::f32));
    document[key] = value;
    return test::message_of([&] { read(document.dump()); });
  }
  std::string error_without(const char* key) {
    json document = json::parse(bert_config_json(model_, io::StoredType::f32));
    document.erase(key);
    return test::message_of([&] { read(document.dump()); });
  }

  test::TemporaryFolder folder_;
  std::string subject_ = "transformers: '" + folder_.file("config.json") + "' ";
  const bert::Config model_{.layers = 3,
                            .hidden_size = 45,
                            .heads = 5,
                            .intermediate_size = 77,
                            .max_positions = 61,
                            .vocab_size = 152,
                            .token_types = 1,
                            .dropout_prob = 0.3f,
                            .layer_norm_eps = 1e-7f,
                            .initializer_range = 0.05f};
};

TEST_F(BertConfigTest, WhatIsWrittenIsReadBackToTheBit) {
  const std::string text = bert_config_json(model_, io::StoredType::bf16);
  const bert::Config found = read_model(text);
  EXPECT_EQ(found.sequence_length, 33);
  EXPECT_EQ(read(text).dropouts, (Dropouts{{"hidden_dropout_prob", 0.3f}, {"attention_probs_dropout_prob", 0.3f}}));
  EXPECT_EQ(found.layers, model_.layers);
  EXPECT_EQ(found.hidden_size, model_.hidden_size);
  EXPECT_EQ(found.heads, model_.heads);
  EXPECT_EQ(found.intermediate_size, model_.intermediate_size);
  EXPECT_EQ(found.max_positions, model_.max_positions);
  EXPECT_EQ(found.vocab_size, model_.vocab_size);
  EXPECT_EQ(found.token_types, model_.token_types);
  EXPECT_EQ(found.dropout_prob, model_.dropout_prob);
  EXPECT_EQ(found.layer_norm_eps, model_.layer_norm_eps);
  EXPECT_EQ(found.initializer_range, model_.initializer_range);
}

TEST_F(BertConfigTest, WritesShortNumbersAndTheTypeOfTheWeights) {
  const json document = json::parse(bert_config_json(model_, io::StoredType::f16));
  EXPECT_EQ(document["hidden_dropout_prob"].dump(), "0.3");
  EXPECT_EQ(document["layer_norm_eps"].dump(), "1e-07");
  EXPECT_EQ(document["torch_dtype"], "float16");
  EXPECT_EQ(document["architectures"], json{"BertForQuestionAnswering"});
}

TEST_F(BertConfigTest, WhatIsNotSaidIsAsTransformersHasIt) {
  const char* const text =
      R"({"num_hidden_layers": 1, "hidden_size": 8, "num_attention_heads": 2, "vocab_size": 9,
          "intermediate_size": 16, "max_position_embeddings": 32, "type_vocab_size": 2})";
  const bert::Config found = read_model(text);
  EXPECT_EQ(found.dropout_prob, 0.1f);
  EXPECT_EQ(read(text).dropouts[1].second, 0.1f);
  EXPECT_EQ(found.layer_norm_eps, 1e-12f);
  EXPECT_EQ(found.initializer_range, 0.02f);
}

TEST_F(BertConfigTest, RefusesWhatOurModelDoesNotCompute) {
  EXPECT_EQ(error_with("hidden_act", "gelu_new"),
            subject_ + "has hidden_act \"gelu_new\", expected \"gelu\": Phasor's BERT knows no other");
  EXPECT_EQ(error_with("model_type", "roberta"),
            subject_ + "has model_type \"roberta\", expected \"bert\": Phasor's BERT knows no other");
  EXPECT_EQ(
      error_with("position_embedding_type", "relative_key"),
      subject_ + "has position_embedding_type \"relative_key\", expected \"absolute\": Phasor's BERT knows no other");
  EXPECT_EQ(error_with("is_decoder", true),
            subject_ + "has is_decoder true, expected false: Phasor's BERT knows no other");
  EXPECT_EQ(error_with("pad_token_id", 1), subject_ + "has pad_token_id 1, expected 0: Phasor's BERT knows no other");
  EXPECT_EQ(error_with("pad_token_id", nullptr), "no error");
}

TEST_F(BertConfigTest, RefusesSizesThatAreNone) {
  EXPECT_EQ(error_without("hidden_size"), subject_ + "has no hidden_size. Is this a BERT?");
  for (const json& value : {json(0), json(-3), json(1.5), json("8"), json(1 << 25)}) {
    EXPECT_EQ(error_with("hidden_size", value),
              subject_ + "has hidden_size " + value.dump() + ", expected a whole number from 1 to 16777216");
  }
  EXPECT_EQ(error_with("layer_norm_eps", "tiny"), subject_ + "has layer_norm_eps \"tiny\", expected a number");
  EXPECT_EQ(test::message_of([&] { read("[]"); }), subject_ + "holds a list, expected an object");
  EXPECT_EQ(test::message_of([&] { read("{"); }),
            subject_ + "ends inside a JSON value at line 1, column 2 (byte 1). Was it copied to its end?");
  EXPECT_EQ(test::message_of([] { read_bert_config("/nowhere"); }),
            "transformers: '/nowhere/config.json' does not exist");
}

}  // namespace
}  // namespace phasor::transformers
