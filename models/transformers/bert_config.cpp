#include "models/transformers/bert_config.h"

#include <initializer_list>

#include "engine/base/error.h"
#include "io/files/text_file.h"
#include "io/json/json_text.h"

namespace phasor::transformers {

namespace {

using nlohmann::json;

constexpr std::int64_t kLargestSize = 1 << 24;  // sizes whose products are far from overflowing

class ConfigReader {
 public:
  explicit ConfigReader(const std::string& folder)
      : path_(folder + "/config.json"),
        document_(io::parse_json("transformers", path_, io::read_file("transformers", path_), "config.json")) {
    check(document_.is_object(), "transformers: '{}' holds {}, expected an object", path_, io::json_kind(document_));
  }

  std::int64_t size(const char* key) const {
    const json& value = find(key);
    check(!value.is_null(), "transformers: '{}' has no {}. Is this a BERT?", path_, key);
    check(value.is_number_integer() && value >= 1 && value <= kLargestSize,
          "transformers: '{}' has {} {}, expected a whole number from 1 to {}", path_, key, io::shown(value.dump()),
          kLargestSize);
    return value.get<std::int64_t>();
  }

  float real(const char* key, float usual) const {
    const json& value = find(key);
    if (value.is_null()) return usual;
    check(value.is_number(), "transformers: '{}' has {} {}, expected a number", path_, key, io::shown(value.dump()));
    return static_cast<float>(value.get<double>());
  }

  // Where the key is there, it must have the only value that our model computes.
  void expect(const char* key, const json& only) const {
    const json& value = find(key);
    check(value.is_null() || value == only, "transformers: '{}' has {} {}, expected {}: Phasor's BERT knows no other",
          path_, key, io::shown(value.dump()), only.dump());
  }

 private:
  const json& find(const char* key) const {
    static const json kNull;
    const auto found = document_.find(key);
    return found == document_.end() ? kNull : *found;
  }

  std::string path_;
  json document_;
};

// A float that was read from a short decimal text is written as that text.
json short_number(float value) { return json::parse(fmt::format("{}", value)); }

std::string_view torch_name(io::StoredType type) {
  switch (type) {
    case io::StoredType::f32:
      return "float32";
    case io::StoredType::f16:
      return "float16";
    case io::StoredType::bf16:
      return "bfloat16";
  }
  return "?";
}

}  // namespace

FolderConfig read_bert_config(const std::string& folder) {
  const ConfigReader config(folder);
  config.expect("model_type", "bert");
  config.expect("hidden_act", "gelu");
  config.expect("position_embedding_type", "absolute");
  config.expect("is_decoder", false);
  config.expect("add_cross_attention", false);
  config.expect("pad_token_id", 0);
  const bert::Config usual;
  return {.model = {.layers = static_cast<int>(config.size("num_hidden_layers")),
                    .hidden_size = config.size("hidden_size"),
                    .heads = config.size("num_attention_heads"),
                    .intermediate_size = config.size("intermediate_size"),
                    .max_positions = config.size("max_position_embeddings"),
                    .vocab_size = config.size("vocab_size"),
                    .token_types = config.size("type_vocab_size"),
                    .dropout_prob = config.real("hidden_dropout_prob", usual.dropout_prob),
                    .layer_norm_eps = config.real("layer_norm_eps", usual.layer_norm_eps),
                    .initializer_range = config.real("initializer_range", usual.initializer_range)},
          .attention_dropout_prob = config.real("attention_probs_dropout_prob", usual.dropout_prob)};
}

std::string bert_config_json(const bert::Config& model, io::StoredType type) {
  const nlohmann::ordered_json document{{"architectures", {"BertForQuestionAnswering"}},
                                        {"model_type", "bert"},
                                        {"num_hidden_layers", model.layers},
                                        {"hidden_size", model.hidden_size},
                                        {"num_attention_heads", model.heads},
                                        {"intermediate_size", model.intermediate_size},
                                        {"hidden_act", "gelu"},
                                        {"max_position_embeddings", model.max_positions},
                                        {"position_embedding_type", "absolute"},
                                        {"type_vocab_size", model.token_types},
                                        {"vocab_size", model.vocab_size},
                                        {"pad_token_id", model.padding_token},
                                        {"hidden_dropout_prob", short_number(model.dropout_prob)},
                                        {"attention_probs_dropout_prob", short_number(model.dropout_prob)},
                                        {"layer_norm_eps", short_number(model.layer_norm_eps)},
                                        {"initializer_range", short_number(model.initializer_range)},
                                        {"torch_dtype", torch_name(type)}};
  return document.dump(2) + "\n";
}

}  // namespace phasor::transformers
