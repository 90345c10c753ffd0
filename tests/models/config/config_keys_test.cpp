// Every key of a configuration reaches what it is for, and nothing else: each is changed by itself, and what a run is
// told and does is compared before and after.
#include <gtest/gtest.h>
#include <set>

#include "io/tokenizer/wordpiece.h"
#include "models/config/config_file.h"
#include "models/machine/rates_cache.h"
#include "models/transformers/folder_kind.h"
#include "models/transformers/folder_writer.h"
#include "tests/models/config/config_facts.h"
#include "tests/support/letter_files.h"
#include "tests/support/run_parts.h"
#include "tests/support/temporary_folder.h"

namespace phasor::run {
namespace {

using Settings = std::vector<std::pair<std::string, std::string>>;

// What a change of a key changes: facts by name, some with the value that they then have ("decay = 0.5"). Those that
// end in "?" may change: in their last bits, which depend on the machine. {} in a value is the folder of the test.
struct KeyEffect {
  std::string key, value;
  std::vector<std::string> changes;
  Settings context;  // in which the key means something
};

const Settings kScored{{"checkpoint.evaluate", "true"}, {"checkpoint.every_steps", "1"}};
const Settings kReckoned{{"data.cache", "{}/cache"}};
const Settings kTwoDevices{{"execution.pipeline.devices", "2"}};
const Settings kInFiles{{"execution.remote.store", "file"}, {"execution.remote.path", "{}/store"}};

const std::vector<KeyEffect> kEffects{
    {"model.architecture", "bert", {}, {}},  // others have other keys: OfAConvnet
    {"model.from", "{}/model", {"losses"}, {}},
    {"model.layers", "2", {"stages", "losses"}, {}},
    {"model.hidden_size", "32", {"stages", "losses"}, {}},
    {"model.heads", "4", {"stages", "losses"}, {}},
    {"model.intermediate_size", "40", {"stages", "losses"}, {}},
    {"model.sequence_length", "11", {"stages", "tokens = 11", "losses"}, {}},
    {"model.max_positions", "16", {"stages"}, {}},
    {"model.vocab_size", "40", {"stages"}, {}},
    {"model.token_types", "3", {"stages"}, {}},
    {"model.dropout_prob", "0.25", {"stages", "losses"}, {}},
    {"model.layer_norm_eps", "0.01", {"stages", "losses"}, {}},
    {"model.initializer_range", "0.1", {"stages", "losses"}, {}},
    {"model.precision", "bfloat16", {"precision = 1", "losses"}, {}},
    {"model.seed", "43", {"losses", "saved seed = 43"}, {}},
    {"data.task", "squad", {}, {}},  // the only one for a BERT
    {"data.train", "{}/other/data.json", {"losses"}, {}},
    {"data.dev", "{}/other/data.json", {"questions = 40"}, kScored},
    {"data.predict", "{}/other/data.json", {}, {}},  // of no training: answers_test.py
    {"data.cache", "{}/elsewhere", {"cached"}, kReckoned},
    {"data.vocab", "{}/other/turned.txt", {"losses"}, {}},
    {"data.packing",
     "false",
     {"samples of a sequence = 1", "losses?"},
     {{"model.sequence_length", "16"}, {"model.max_positions", "16"}}},
    {"data.document_stride", "2", {"stride = 2"}, {}},
    {"data.max_query_length", "3", {"question tokens = 3"}, {}},
    {"data.max_answer_length", "7", {"answer tokens = 7"}, {}},
    {"data.n_best", "9", {"candidates = 9"}, {}},
    {"data.null_score_threshold", "1.5", {"null threshold = 1.5"}, {}},
    {"training.steps", "6", {"rates", "losses"}, {}},
    {"training.epochs", "1", {"rates", "losses"}, {{"training.steps", "0"}, {"training.epochs", "2"}}},
    {"training.stop_after", "2", {"rates", "losses"}, {}},
    {"training.global_batch_size", "8", {"accumulation = 4", "losses"}, {}},
    {"training.optimizer.name", "adam", {"decoupled decay = false", "losses"}, {}},
    {"training.optimizer.learning_rate.maximum", "0.01", {"rates", "losses"}, {}},
    {"training.optimizer.learning_rate.minimum", "0.01", {"rates", "losses"}, {}},
    {"training.optimizer.learning_rate.warmup_proportion", "0.25", {"rates", "losses"}, {}},
    {"training.optimizer.learning_rate.function", "constant", {"rates", "losses"}, {}},
    {"training.optimizer.learning_rate.power",
     "2",
     {"rates", "losses"},
     {{"training.optimizer.learning_rate.function", "polynomial"}}},
    {"training.optimizer.learning_rate.layer_decay", "0.5", {"layer decay = 0.5", "losses"}, {}},
    {"training.optimizer.beta1", "0.5", {"beta1 = 0.5", "losses"}, {}},
    {"training.optimizer.beta2", "0.5", {"beta2 = 0.5", "losses"}, {}},
    {"training.optimizer.eps", "0.01", {"eps = 0.01", "losses"}, {}},
    {"training.optimizer.weight_decay", "0.5", {"decay = 0.5", "losses"}, {}},
    {"training.optimizer.bias_correction", "true", {"bias correction = true", "losses"}, {}},
    {"training.optimizer.momentum", "0.5", {"momentum = 0.5", "losses"}, {{"training.optimizer.name", "sgd"}}},
    {"training.optimizer.nesterov", "true", {"nesterov = true", "losses"}, {{"training.optimizer.name", "sgd"}}},
    {"training.optimizer.frozen", "bert.embeddings.*", {"losses"}, {}},
    {"training.stochastic_rounding",
     "true",
     {"stochastic rounding = true", "losses"},
     {{"model.precision", "bfloat16"}}},
    {"training.max_grad_norm", "0.125", {"largest norm = 0.125", "losses"}, {}},
    {"training.tensorboard", "true", {"files"}, {}},
    {"training.report", "true", {"files"}, {}},
    {"training.fingerprint", "2", {"fingerprints"}, {}},
    {"execution.mode", "monolithic", {"mode = 1"}, {}},
    {"execution.micro_batch_size", "4", {"accumulation = 4", "stages", "losses?"}, {}},
    {"execution.data_parallel", "2", {"replicas = 2", "accumulation = 4", "losses?"}, {}},
    {"execution.threads_per_replica", "2", {"threads = 2"}, {}},
    {"execution.pipeline.devices", "2", {"pipeline = 2 devices, 2, 2 parts, group 0, stages "}, {}},
    {"execution.pipeline.schedule", "gpipe", {"pipeline = 2 devices, 1, 2 parts, group 0, stages "}, kTwoDevices},
    {"execution.pipeline.parts", "1", {"pipeline = 2 devices, 2, 1 parts, group 0, stages "}, kTwoDevices},
    {"execution.pipeline.group", "3", {"pipeline = 2 devices, 2, 2 parts, group 3, stages "}, kTwoDevices},
    {"execution.pipeline.stages", "0-1, 2-3", {"pipeline = 2 devices, 2, 2 parts, group 0, stages 0 2"}, kTwoDevices},
    {"execution.replicated_tensor_sharding", "false", {"sharding threshold = 9223372036854775807"}, {}},
    {"execution.rts_threshold", "64", {"sharding threshold = 64"}, {}},
    {"execution.recompute", "layer", {"recompute = 1"}, {}},
    {"execution.kept_layers", "1", {"kept stages = 1"}, {{"execution.recompute", "layer"}}},
    {"execution.device_memory", "64MiB", {"device memory = 67108864"}, {}},
    {"execution.host_memory", "64GiB", {"host memory = 68719476736"}, {}},
    {"execution.prefetch_depth", "2", {"prefetch depth = 2", "loop overlap = 2"}, {}},
    {"execution.loop_overlap", "1", {"loop overlap = 1"}, {}},
    {"execution.zero_copy", "false", {"zero copy = false"}, {}},
    {"execution.pack_weights", "false", {"packs weights = false"}, {}},
    {"execution.embedding_serialization_factor", "2", {"embedding slices = 2"}, {}},
    // So little that gradients lose bits by it on any machine.
    {"execution.loss_scaling", "7.52316384526264e-37", {"saved loss scale = 7.52316384526264e-37", "losses"}, {}},
    {"execution.reproducible", "true", {"reproducible = true", "losses?"}, {}},
    {"execution.products", "eigen", {"products = 4", "losses?"}, {}},
    {"execution.remote.store",
     "file",
     {"place of the store", "prefetch depth = 1", "loop overlap = 1", "zero copy = false"},
     {{"execution.remote.path", "{}/store"}}},
    {"execution.remote.path", "{}/elsewhere", {"place of the store"}, kInFiles},
    {"execution.remote.bandwidth", "1KiB", {"link = 0 s + 1024 B/s", "zero copy = false"}, kReckoned},
    {"execution.remote.latency", "0.5", {"link = 0.5 s + 2 B/s", "zero copy = false"}, kReckoned},
    {"execution.device_iterations", "3", {"device iterations = 3"}, {}},
    {"execution.outputs", "every 2", {"rates", "losses"}, {}},
    {"execution.trace", "1", {"files"}, {}},
    {"checkpoint.load", "{}/other.h5", {"losses"}, {}},
    {"checkpoint.save", "{}/elsewhere.h5", {"files"}, {}},
    {"checkpoint.every_steps", "2", {"files"}, {}},
    {"checkpoint.keep", "1", {"files"}, {{"checkpoint.every_steps", "1"}}},
    {"checkpoint.evaluate", "true", {"files", "questions = 24"}, {}},
    {"checkpoint.compression", "deflate 1", {"deflate = 1"}, {}},
};

class ConfigKeys : public ::testing::Test {
 protected:
  ConfigKeys() {
    phasor::test::write_letter_files(folder_.path(), 24);
    std::filesystem::create_directory(folder_.file("other"));
    phasor::test::write_letter_files(folder_.file("other"), 40);
    config_ = phasor::test::letter_run(folder_.path());
    phasor::test::bert_of(config_).layers = 1;
    config_.training.steps = 5;
    config_.training.warmup_proportion = 0.5;
    turn_vocabulary();
    write_weights();
    for (const char* cache : {"cache", "elsewhere"}) {
      keep_rates(rates_path(folder_.file(cache), {.replicas = 1, .threads_per_replica = 1, .transfers = "inline"}),
                 known_rates());
    }
  }

  // The same tokens with other numbers.
  void turn_vocabulary() const {
    std::ofstream file(folder_.file("other/turned.txt"));
    file << "[PAD]\n[UNK]\n[CLS]\n[SEP]\n?\n";
    for (char letter = 'z'; letter >= 'a'; --letter) file << letter << '\n';
  }

  // Of another seed: as a checkpoint, and as a folder of Transformers.
  void write_weights() const {
    const Stages stages = architecture::training_stages(config_.model, 1);
    RemoteMemory memory(memory_store(), 1);
    ModelState state(stages, memory, 0);
    state.initialise(7);
    save_checkpoint(folder_.file("other.h5"), stages, state, {});
    transformers::write_folder(
        folder_.file("model"),
        {.texts = transformers::kind_of(config_.model).text_files(config_.model, {}, io::StoredType::f32),
         .tensors = canonical_tensors(stages),
         .read = [&](const CanonicalTensor& tensor) { return state.read(StateKind::weight, tensor); }});
  }

  static Rates known_rates() {
    Rates rates;
    for (LinkRate* link :
         {&rates.clear, &rates.load, &rates.store, &rates.gather, &rates.reduce_scatter, &rates.all_reduce}) {
      *link = {.latency_seconds = 1, .bytes_per_second = 2};
    }
    return rates;
  }

  Facts facts_with(const Settings& settings) {
    RunConfig config = config_;
    for (const auto& [key, value] : settings) set_field(config, key, placed(value), "the test");
    const std::string output = folder_.file(fmt::format("run{}", runs_++));
    return facts_of(config, output);
  }

  std::string placed(std::string value) const {
    if (value.starts_with("{}")) value.replace(0, 2, folder_.path());
    return value;
  }

  phasor::test::TemporaryFolder folder_{phasor::test::Medium::memory};
  RunConfig config_;
  int runs_ = 0;
};

// What is expected of `change`: its name, its value if it is told, and whether it is certain.
struct Expected {
  explicit Expected(std::string change) : name(std::move(change)) {
    if (name.ends_with('?')) {
      certain = false;
      name.pop_back();
    } else if (const auto equals = name.find(" = "); equals != std::string::npos) {
      value = name.substr(equals + 3);
      name.resize(equals);
    }
  }
  std::string name, value;
  bool certain = true;
};

void expect_changes(const KeyEffect& effect, const Facts& before, const Facts& after) {
  std::set<std::string> changed;
  for (const auto& [name, value] : after) {
    const auto found = before.find(name);
    if (found == before.end() || found->second != value) changed.insert(name);
  }
  for (const std::string& change : effect.changes) {
    const Expected expected(change);
    const bool did = changed.erase(expected.name) > 0;
    EXPECT_TRUE(did || !expected.certain) << effect.key << " does not change " << expected.name;
    if (!expected.value.empty()) {
      EXPECT_EQ(after.at(expected.name), expected.value) << effect.key;
    }
  }
  for (const std::string& name : changed) ADD_FAILURE() << effect.key << " changes " << name;
}

TEST_F(ConfigKeys, ReachWhatTheyAreFor) {
  std::map<Settings, Facts> known;  // by context
  for (const KeyEffect& effect : kEffects) {
    if (!known.contains(effect.context)) known[effect.context] = facts_with(effect.context);
    Settings settings = effect.context;
    settings.emplace_back(effect.key, effect.value);
    expect_changes(effect, known[effect.context], facts_with(settings));
  }
}

// A new key comes with a row that says what it is for.
TEST_F(ConfigKeys, AreAllHere) {
  std::vector<std::string> keys, rows;
  visit_fields(config_, [&](const std::string& key, const auto&, const fields::Facts&) { keys.push_back(key); });
  for (const KeyEffect& effect : kEffects) rows.push_back(effect.key);
  EXPECT_EQ(rows, keys);
}

std::string stages_of_model(const Settings& model, const Settings& settings) {
  RunConfig config;
  set_fields(config, model, "the test");
  set_fields(config, settings, "the test");
  return text_of(architecture::training_stages(config.model, 2));
}

TEST(KeysOfModels, OfAConvnetReachItsStages) {
  const auto stages_with = [](const Settings& settings) {
    return stages_of_model({{"model.architecture", "convnet"}, {"data.task", "digits"}}, settings);
  };
  const std::string known = stages_with({});
  std::vector<std::string> keys;
  const convnet::Config model;
  visit_fields(model, [&](const std::string& key, const auto& value, const fields::Facts&) {
    EXPECT_NE(stages_with({{key, fmt::to_string(value + 2)}}), known) << key;
    keys.push_back(key);
  });
  EXPECT_EQ(keys.size(), 7U);
}

TEST(KeysOfModels, OfAGpt2ReachItsStages) {
  const auto stages_with = [](const Settings& settings) {
    return stages_of_model({{"model.architecture", "gpt2"}, {"data.task", "text"}}, settings);
  };
  const Settings changes{{"model.layers", "3"},
                         {"model.hidden_size", "64"},
                         {"model.heads", "2"},
                         {"model.intermediate_size", "9"},
                         {"model.sequence_length", "8"},
                         {"model.max_positions", "300"},
                         {"model.vocab_size", "600"},
                         {"model.dropout_prob", "0.25"},
                         {"model.layer_norm_eps", "0.01"},
                         {"model.initializer_range", "1"},
                         {"model.embeddings_decay", "false"}};
  const std::string known = stages_with({});
  std::vector<std::string> keys, expected;
  const gpt2::Config model;
  visit_fields(model, [&](const std::string& key, const auto&, const fields::Facts&) { keys.push_back(key); });
  for (const auto& [key, value] : changes) {
    EXPECT_NE(stages_with({{key, value}}), known) << key;
    expected.push_back(key);
  }
  EXPECT_EQ(keys, expected);
}

}  // namespace
}  // namespace phasor::run
