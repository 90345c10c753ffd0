#include "models/cli/convert.h"

#include <filesystem>
#include <fmt/format.h>
#include <limits>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/architecture/model_config.h"
#include "models/checkpoint/checkpoint.h"
#include "models/cli/verbs.h"
#include "models/config/config_file.h"
#include "models/config/load_config.h"
#include "models/fields/alternatives.h"
#include "models/run/first_weights.h"
#include "models/task_options/task_options.h"
#include "models/transformers/folder_kind.h"
#include "models/transformers/folder_writer.h"

namespace phasor::cli {

namespace {

namespace fs = std::filesystem;

struct ConvertOptions : Conversion {
  bool json = false, quiet = false;
};

// Where the target is to stand.
std::string folder_of(const std::string& target) {
  fs::path path = fs::absolute(target).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "folder/"
  return path.parent_path();
}

// A model's state in files beside the target, so that memory holds no more than a few copies of one variable.
struct StateInFiles {
  StateInFiles(const architecture::ModelConfig& model, const std::string& target)
      : stages(architecture::inference_stages(model, 1)),
        memory(file_store(folder_of(target)), 1),
        state(stages, memory, std::numeric_limits<std::int64_t>::max()) {}
  Stages stages;
  RemoteMemory memory;
  ModelState state;
};

io::StoredType stored_type(const std::string& precision) {
  if (precision.empty() || precision == "float32") return io::StoredType::f32;
  if (precision == "bfloat16") return io::StoredType::bf16;
  check(precision == "float16", "convert: --precision '{}' is not float32, bfloat16 or float16", precision);
  return io::StoredType::f16;
}

// Throws UserError where Transformers has no model for the checkpoint's.
const transformers::FolderKind& convertible_kind(const run::RunConfig& config, const std::string& source) {
  const std::string architecture = fields::name_of(config.model), task = fields::name_of(config.data.task);
  const transformers::FolderKind* kind = transformers::find_kind(architecture);
  check(kind != nullptr && kind->task == task, "convert: '{}' is a {} for {}; only {} becomes a Transformers folder",
        source, architecture, task, transformers::all_kinds());
  return *kind;
}

transformers::Vocabulary read_vocabulary(const run::RunConfig& config, const transformers::FolderKind& kind,
                                         const std::string& source) {
  const std::string& vocab = *task_options::vocab(config.data.task);
  if (vocab.empty() && !kind.needs_vocabulary) return {};
  check(!vocab.empty() && fs::exists(vocab),
        "convert: the vocabulary '{}', of which '{}' speaks, is not there. Give it as --data.vocab", vocab, source);
  transformers::Vocabulary vocabulary = kind.read_vocabulary(vocab);
  const std::int64_t embeddings = architecture::table_rows(config.model);
  check(std::ssize(vocabulary.tokens) <= embeddings,
        "convert: data.vocab '{}' has {} tokens, the model of '{}' has embeddings for {}", vocab,
        vocabulary.tokens.size(), source, embeddings);
  return vocabulary;
}

bool is_checkpoint_name(const std::string& path) { return path.ends_with(".h5"); }

void convert_to_folder(const run::RunConfig& config, const Conversion& options, io::Listener& listener) {
  const io::StoredType type = stored_type(options.precision);
  const transformers::FolderKind& kind = convertible_kind(config, options.source);
  check(!is_checkpoint_name(options.target),
        "convert: '{}' is to become a Transformers folder, its name is that of a "
        "checkpoint. Choose another",
        options.target);
  transformers::check_replaceable(options.target, options.force);
  const transformers::Vocabulary vocabulary = read_vocabulary(config, kind, options.source);
  std::vector<transformers::TextFile> texts = kind.text_files(config.model, vocabulary, type);
  if (vocabulary.tokens.empty()) listener.note("no data.vocab: the folder has no tokenizer");
  StateInFiles from(config.model, options.target);
  listener.note(fmt::format("reading {}", config.checkpoint.load));
  run::load_checkpoint(config.checkpoint.load, from.stages, from.state);
  std::vector<CanonicalTensor> tensors = canonical_tensors(from.stages);
  const auto progress = listener.progress("converting", std::ssize(tensors), "tensors");
  transformers::write_folder(options.target, {.texts = std::move(texts),
                                              .tensors = std::move(tensors),
                                              .type = type,
                                              .read = [&](const CanonicalTensor& tensor) {
                                                progress->advance();
                                                return from.state.read(StateKind::weight, tensor);
                                              }});
}

void convert_to_checkpoint(run::RunConfig config, const Conversion& options, io::Listener& listener) {
  check(options.precision.empty(),
        "convert: --precision {} is for Transformers folders; checkpoints are float32 always", options.precision);
  check(is_checkpoint_name(options.target), "convert: '{}' is to become a checkpoint, expected a name that ends in .h5",
        options.target);
  const auto status = fs::status(options.target);
  check(!fs::exists(status) || (options.force && fs::is_regular_file(status)),
        "convert: '{}' exists. Choose another name, or give --force to replace a file", options.target);
  StateInFiles to(config.model, options.target);
  run::load_folder(config.model_from, config.model, config.seed, to.stages, to.state, listener);
  config.model_from.clear();  // from here on the checkpoint has it all
  std::string& vocab = *task_options::vocab(config.data.task);
  if (!vocab.empty()) vocab = fs::absolute(vocab).lexically_normal();
  listener.note(fmt::format("writing {}", options.target));
  run::save_checkpoint(options.target, to.stages, to.state, {.seed = config.seed, .config = run::to_yaml(config)});
}

}  // namespace

void convert(const Conversion& options, io::Listener& listener) {
  std::map<std::string, std::string> overrides = options.overrides;
  check(fs::exists(options.source), "convert: '{}' does not exist", options.source);
  if (fs::exists(options.source + "/config.json")) {
    overrides["model.from"] = options.source;
    convert_to_checkpoint(run::load_config("", overrides, options.given_in), options, listener);
  } else if (!fs::is_directory(options.source)) {
    overrides["checkpoint.load"] = options.source;
    convert_to_folder(run::load_config("", overrides, options.given_in), options, listener);
  } else {
    check(
        fs::exists(options.source + "/config.yml"),
        "convert: '{}' has neither config.json nor config.yml, expected a checkpoint, a run's folder or a Transformers "
        "folder",
        options.source);
    convert_to_folder(run::load_config(options.source, overrides, options.given_in), options, listener);
  }
}

namespace {

int run_convert(const ConvertOptions& options) {
  io::TerminalListener listener = terminal_listener(options.quiet);
  convert(options, listener);
  fmt::print("converted '{}' to '{}'\n", options.source, options.target);
  if (options.json) {
    fmt::print("{}\n", nlohmann::ordered_json{{"source", options.source}, {"target", options.target}}.dump());
  }
  return 0;
}

}  // namespace

Verb convert_verb(CLI::App& app) {
  const auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = app.add_subcommand("convert", "A checkpoint to a Transformers folder, or the other way");
  command->add_option("source", options->source, "A checkpoint, a run's folder, or a Transformers folder")->required();
  command->add_option("target", options->target, "The Transformers folder, or the checkpoint (*.h5)")->required();
  command->add_option("--precision", options->precision,
                      "Of the folder's weights: float32, bfloat16 or float16 [float32]");
  command->add_flag("--force", options->force, "Replace what convert wrote there before");
  command->add_flag("--json", options->json, "End with one line of JSON");
  command->add_flag("--quiet", options->quiet, "No progress display");
  const std::pair<const char*, const char*> keys[] = {
      {"data.vocab", "The model's vocabulary, where the checkpoint's is not found"},
      {"model.seed", "Of a head that the folder lacks"},
      {"model.dropout_prob", "Where the folder has several"}};
  for (const auto& [key, help] : keys) {
    command->add_option_function<std::string>(
        std::string("--") + key,
        [options, key = std::string(key)](const std::string& value) { options->overrides[key] = value; }, help);
  }
  return {command, [options] { return run_convert(*options); }};
}

}  // namespace phasor::cli
