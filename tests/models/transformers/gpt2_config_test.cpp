#include "models/transformers/gpt2_config.h"

#include <fstream>
#include <gtest/gtest.h>

#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::transformers {
namespace {

using nlohmann::json;
using Dropouts = std::vector<std::pair<std::string, float>>;

const gpt2::Config kGpt2{.layers = 3,
                         .hidden_size = 45,
                         .heads = 5,
                         .intermediate_size = 77,
                         .sequence_length = 17,
                         .max_positions = 61,
                         .vocab_size = 152,
                         .dropout_prob = 0.3f,
                         .layer_norm_eps = 1e-7f,
                         .initializer_range = 0.05f,
                         .embeddings_decay = false};
const Vocabulary kTwoTokens{.tokens = {"a", "<|endoftext|>"}, .merges = {}};

class Gpt2ConfigTest : public testing::Test {
 protected:
  FolderConfig read(const json& document) {
    std::ofstream(folder_.file("config.json")) << document;
    return read_gpt2_config(folder_.path(), {.sequence_length = 17, .embeddings_decay = false});
  }
  gpt2::Config read_model(const json& document) { return std::get<gpt2::Config>(read(document).model); }
  json written() const { return json::parse(gpt2_config_json(kGpt2, kTwoTokens, io::StoredType::f32)); }

  std::string error_with(const char* key, const json& value) {
    json document = written();
    document[key] = value;
    return test::message_of([&] { read(document); });
  }
  std::string error_without(const char* key) {
    json document = written();
    document.erase(key);
    return test::message_of([&] { read(document); });
  }

  test::TemporaryFolder folder_;
  std::string subject_ = "transformers: '" + folder_.file("config.json") + "' ";
};

void expect_same(const gpt2::Config& found, const gpt2::Config& expected) {
  EXPECT_EQ(found.layers, expected.layers);
  EXPECT_EQ(found.hidden_size, expected.hidden_size);
  EXPECT_EQ(found.heads, expected.heads);
  EXPECT_EQ(found.intermediate_size, expected.intermediate_size);
  EXPECT_EQ(found.sequence_length, expected.sequence_length);
  EXPECT_EQ(found.max_positions, expected.max_positions);
  EXPECT_EQ(found.vocab_size, expected.vocab_size);
  EXPECT_EQ(found.dropout_prob, expected.dropout_prob);
  EXPECT_EQ(found.layer_norm_eps, expected.layer_norm_eps);
  EXPECT_EQ(found.initializer_range, expected.initializer_range);
  EXPECT_EQ(found.embeddings_decay, expected.embeddings_decay);
}

TEST_F(Gpt2ConfigTest, WhatIsWrittenIsReadBackToTheBit) {
  expect_same(read_model(written()), kGpt2);
  EXPECT_EQ(read(written()).dropouts, (Dropouts{{"resid_pdrop", 0.3f}, {"embd_pdrop", 0.3f}, {"attn_pdrop", 0.3f}}));
}

TEST_F(Gpt2ConfigTest, WritesShortNumbersAndTheTypeOfTheWeights) {
  const json document = json::parse(gpt2_config_json(kGpt2, kTwoTokens, io::StoredType::bf16));
  EXPECT_EQ(document["attn_pdrop"].dump(), "0.3");
  EXPECT_EQ(document["layer_norm_epsilon"].dump(), "1e-07");
  EXPECT_EQ(document["torch_dtype"], "bfloat16");
  EXPECT_EQ(document["architectures"], json{"GPT2LMHeadModel"});
}

TEST_F(Gpt2ConfigTest, NamesTheTokenThatEndsATextWhereItIsKnown) {
  EXPECT_EQ(written()["eos_token_id"], 1);
  EXPECT_EQ(written()["bos_token_id"], 1);
  const Vocabulary without{.tokens = {"a"}, .merges = {}};
  EXPECT_TRUE(json::parse(gpt2_config_json(kGpt2, without, io::StoredType::f32)).at("eos_token_id").is_null());
  EXPECT_FALSE(json::parse(gpt2_config_json(kGpt2, {}, io::StoredType::f32)).contains("eos_token_id"));
}

TEST_F(Gpt2ConfigTest, WhatIsNotSaidIsAsTransformersHasIt) {
  const json document{{"n_layer", 1}, {"n_embd", 8}, {"n_head", 2}, {"vocab_size", 9}, {"n_positions", 32}};
  expect_same(read_model(document), {.layers = 1,
                                     .hidden_size = 8,
                                     .heads = 2,
                                     .intermediate_size = 32,
                                     .sequence_length = 17,
                                     .max_positions = 32,
                                     .vocab_size = 9,
                                     .dropout_prob = 0.1f,
                                     .layer_norm_eps = 1e-5f,
                                     .initializer_range = 0.02f,
                                     .embeddings_decay = false});
}

TEST_F(Gpt2ConfigTest, SizesMayHaveTheirOtherNames) {
  json document = written();
  for (const auto& [name, other] : {std::pair{"n_layer", "num_hidden_layers"},
                                    {"n_embd", "hidden_size"},
                                    {"n_head", "num_attention_heads"},
                                    {"n_positions", "max_position_embeddings"}}) {
    document[other] = document[name];
    expect_same(read_model(document), kGpt2);
    document.erase(name);
    expect_same(read_model(document), kGpt2);
  }
  EXPECT_EQ(error_with("hidden_size", 46), subject_ + "has n_embd 45 and hidden_size 46, two names of one size");
  document["hidden_size"] = 0;
  EXPECT_EQ(test::message_of([&] { read(document); }),
            subject_ + "has hidden_size 0, expected a whole number from 1 to 16777216");
}

TEST_F(Gpt2ConfigTest, OneOfThreeDropoutsMayDiffer) {
  json document = written();
  document["attn_pdrop"] = 0;
  EXPECT_EQ(read(document).dropouts, (Dropouts{{"resid_pdrop", 0.3f}, {"embd_pdrop", 0.3f}, {"attn_pdrop", 0}}));
}

TEST_F(Gpt2ConfigTest, RefusesWhatOurModelDoesNotCompute) {
  const auto refusal = [&](const char* key, const json& value, const json& only) {
    EXPECT_EQ(error_with(key, value), subject_ + "has " + key + " " + value.dump() + ", expected " + only.dump() +
                                          ": Phasor's GPT-2 knows no other");
  };
  refusal("model_type", "gpt_neo", "gpt2");
  refusal("activation_function", "gelu", "gelu_new");
  refusal("scale_attn_weights", false, true);
  refusal("scale_attn_by_inverse_layer_idx", true, false);
  refusal("add_cross_attention", true, false);
  refusal("tie_word_embeddings", false, true);
  EXPECT_EQ(error_with("reorder_and_upcast_attn", true), "no error");
  EXPECT_EQ(error_with("summary_type", "last"), "no error");
}

TEST_F(Gpt2ConfigTest, RefusesSizesThatAreNone) {
  EXPECT_EQ(error_without("n_embd"), subject_ + "has no n_embd. Is this a GPT-2?");
  EXPECT_EQ(error_without("vocab_size"), subject_ + "has no vocab_size. Is this a GPT-2?");
  EXPECT_EQ(error_with("n_inner", 1.5), subject_ + "has n_inner 1.5, expected a whole number from 1 to 16777216");
  EXPECT_EQ(error_with("layer_norm_epsilon", "tiny"), subject_ + "has layer_norm_epsilon \"tiny\", expected a number");
}

TEST_F(Gpt2ConfigTest, TellsWhichModelAFolderHolds) {
  read(written());
  EXPECT_EQ(model_type(folder_.path()), "gpt2");
  std::ofstream(folder_.file("config.json")) << "{}";
  EXPECT_EQ(model_type(folder_.path()), "");
  std::ofstream(folder_.file("config.json")) << R"({"model_type": 2})";
  EXPECT_EQ(test::message_of([&] { model_type(folder_.path()); }), subject_ + "has model_type 2, expected a string");
}

}  // namespace
}  // namespace phasor::transformers
