#include "models/transformers/bert_config.h"

namespace phasor::transformers {

FolderConfig read_bert_config(const std::string& folder, bert::Config model) {
  const SettingsFile file = open_config(folder, "BERT");
  file.expect("model_type", "bert");
  file.expect("hidden_act", "gelu");
  file.expect("position_embedding_type", "absolute");
  file.expect("is_decoder", false);
  file.expect("add_cross_attention", false);
  file.expect("pad_token_id", 0);
  const bert::Config usual;
  model.layers = static_cast<int>(file.size("num_hidden_layers"));
  model.hidden_size = file.size("hidden_size");
  model.heads = file.size("num_attention_heads");
  model.intermediate_size = file.size("intermediate_size");
  model.max_positions = file.size("max_position_embeddings");
  model.vocab_size = file.size("vocab_size");
  model.token_types = file.size("type_vocab_size");
  model.dropout_prob = file.real_or(usual.dropout_prob, "hidden_dropout_prob");
  model.layer_norm_eps = file.real_or(usual.layer_norm_eps, "layer_norm_eps");
  model.initializer_range = file.real_or(usual.initializer_range, "initializer_range");
  const char* const attention = "attention_probs_dropout_prob";
  return {.model = model,
          .dropouts = {{"hidden_dropout_prob", model.dropout_prob},
                       {attention, file.real_or(usual.dropout_prob, attention)}}};
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
