// model.from: what a folder says of the model, and what a configuration may say besides.
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

#include "models/config/load_config.h"
#include "models/transformers/bert_config.h"
#include "models/transformers/gpt2_config.h"
#include "tests/io/byte_pair/byte_pair_files.h"
#include "tests/support/message.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

using Overrides = std::map<std::string, std::string>;
using nlohmann::json;

class ModelFolder : public testing::Test {
 protected:
  void SetUp() override { write_config(json::parse(transformers::gpt2_config_json(model_, {}, io::StoredType::f32))); }

  void write_config(const json& document) { test::write_to(folder_.file("config.json"), document); }
  void write_key(const char* key, const json& value) {
    json document = json::parse(std::ifstream(folder_.file("config.json")));
    document[key] = value;
    write_config(document);
  }
  RunConfig load(const std::string& source, Overrides overrides = {}) {
    overrides["model.from"] = folder_.path();
    return load_config(source, overrides);
  }
  std::string error(const std::string& source, const Overrides& overrides = {}) {
    return test::message_of([&] { load(source, overrides); });
  }
  gpt2::Config gpt2(const std::string& source, const Overrides& overrides = {}) {
    return std::get<gpt2::Config>(load(source, overrides).model);
  }
  std::string vocab(const std::string& source, const Overrides& overrides = {}) {
    return *task_options::vocab(load(source, overrides).data.task);
  }

  test::TemporaryFolder folder_, other_;
  const gpt2::Config model_{.layers = 3,
                            .hidden_size = 45,
                            .heads = 5,
                            .intermediate_size = 77,
                            .max_positions = 61,
                            .vocab_size = 300,
                            .dropout_prob = 0.3f};
};

TEST_F(ModelFolder, SaysArchitectureAndTaskWhereNobodyDoes) {
  const RunConfig config = load("");
  EXPECT_TRUE(std::holds_alternative<task_options::TextOptions>(config.data.task));
  EXPECT_EQ(gpt2("").hidden_size, 45);
  EXPECT_EQ(gpt2("").sequence_length, 61);
  EXPECT_EQ(gpt2("", {{"model.sequence_length", "8"}}).sequence_length, 8);
  write_config(json::parse(transformers::bert_config_json({.layers = 3}, io::StoredType::f32)));
  EXPECT_EQ(std::get<bert::Config>(load("").model).layers, 3);
  EXPECT_EQ(std::get<bert::Config>(load("").model).sequence_length, 384);
}

TEST_F(ModelFolder, TakesThePlaceOfAPresetsSizes) {
  const gpt2::Config found = gpt2("gpt2");
  EXPECT_EQ(found.layers, 3);
  EXPECT_EQ(found.vocab_size, 300);
  EXPECT_EQ(found.sequence_length, 61);  // 1024 in the preset
  EXPECT_EQ(gpt2("gpt2", {{"model.vocab_size", "0"}}).vocab_size, 300);
  EXPECT_EQ(gpt2("gpt2", {{"model.dropout_prob", "0"}}).dropout_prob, 0);
  EXPECT_FALSE(gpt2("gpt2", {{"model.embeddings_decay", "false"}}).embeddings_decay);
}

TEST_F(ModelFolder, IsOfTheArchitectureAndTheTaskOfTheRun) {
  const std::string holds = "config: model.from '" + folder_.path() + "' is a gpt2 for text, but ";
  const std::string hint = ". Give --model.architecture gpt2 and --data.task text, or another folder";
  EXPECT_EQ(error("squad-tiny"), holds + "model.architecture is bert and data.task is squad" + hint);
  EXPECT_EQ(error("", {{"data.task", "digits"}}), holds + "model.architecture is gpt2 and data.task is digits" + hint);
  write_key("model_type", "gptj");
  EXPECT_EQ(error(""), "config: '" + folder_.path() +
                           "/config.json' has model_type gptj, expected a bert for squad or a gpt2 for text");
  write_key("model_type", nullptr);
  EXPECT_EQ(gpt2("gpt2").layers, 3);
  EXPECT_EQ(error("mnist"),
            "config: model.from is the folder of a bert for squad or a gpt2 for text, but model.architecture is "
            "convnet");
}

TEST_F(ModelFolder, AgreesWithTheKeysThatAreGiven) {
  EXPECT_EQ(gpt2("gpt2", {{"model.layers", "3"}}).layers, 3);
  EXPECT_EQ(error("gpt2", {{"model.layers", "4"}}), "config: model.layers is 4 in the command line, but 3 in '" +
                                                        folder_.path() +
                                                        "/config.json'. Leave it out, or take another folder");
  EXPECT_EQ(test::message_of([&] {
              load_config("gpt2", {{"model.from", folder_.path()}, {"model.layers", "4"}}, "the arguments");
            }),
            "config: model.layers is 4 in the arguments, but 3 in '" + folder_.path() +
                "/config.json'. Leave it out, or take another folder");
}

TEST_F(ModelFolder, HasOneDropoutUnlessItIsChosen) {
  write_key("attn_pdrop", 0.2);
  EXPECT_EQ(error("gpt2"), "config: '" + folder_.path() +
                               "/config.json' has resid_pdrop 0.3 and attn_pdrop 0.2, Phasor has one probability. "
                               "Choose it with --model.dropout_prob");
  EXPECT_EQ(gpt2("gpt2", {{"model.dropout_prob", "0.15"}}).dropout_prob, 0.15f);
}

TEST_F(ModelFolder, HasItsOwnVocabulary) {
  EXPECT_EQ(vocab("gpt2"), "");
  const std::string own = test::write_to(folder_.file("tokenizer.json"), test::golden_tokenizer());
  EXPECT_EQ(vocab("gpt2"), own);
  const std::string same = test::write_to(other_.file("vocab.json"), test::golden_tokens());
  const std::string merges = test::golden_merges();
  test::write_to(other_.file("merges.txt"), merges);
  EXPECT_EQ(vocab("gpt2", {{"data.vocab", same}}), same);

  const auto number = std::ranges::count(merges, '\n') - 2;  // of the last merge
  const std::size_t last = merges.rfind('\n', merges.size() - 2) + 1;
  test::write_to(other_.file("merges.txt"), merges.substr(0, last));
  EXPECT_EQ(error("gpt2", {{"data.vocab", same}}),
            fmt::format("config: data.vocab '{}' has no merge for merge {}, but '{}' has '{}'. Leave data.vocab out: "
                        "the model has its own",
                        same, number, own, merges.substr(last, merges.size() - last - 1)));
  json tokens = test::golden_tokens();
  const auto more = tokens.size();
  tokens["zzz"] = more;
  test::write_to(same, tokens);
  EXPECT_EQ(error("gpt2", {{"data.vocab", same}}),
            fmt::format("config: data.vocab '{}' has 'zzz' for id {}, but '{}' has no token. Leave data.vocab out: the "
                        "model has its own",
                        same, more, own));
}

}  // namespace
}  // namespace phasor::run
