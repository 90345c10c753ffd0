#include "models/transformers/gpt2_config.h"

#include "models/transformers/gpt2_tokenizer.h"

namespace phasor::transformers {

FolderConfig read_gpt2_config(const std::string& folder, gpt2::Config model) {
  const SettingsFile file = open_config(folder, "GPT-2");
  file.expect("model_type", "gpt2");
  file.expect("activation_function", "gelu_new");
  file.expect("scale_attn_weights", true);
  file.expect("scale_attn_by_inverse_layer_idx", false);
  file.expect("add_cross_attention", false);
  file.expect("tie_word_embeddings", true);
  const gpt2::Config usual;
  model.layers = static_cast<int>(file.size("n_layer", "num_hidden_layers"));
  model.hidden_size = file.size("n_embd", "hidden_size");
  model.heads = file.size("n_head", "num_attention_heads");
  model.intermediate_size = file.size_or(4 * model.hidden_size, "n_inner");
  model.max_positions = file.size("n_positions", "max_position_embeddings");
  model.vocab_size = file.size("vocab_size");
  model.layer_norm_eps = file.real_or(usual.layer_norm_eps, "layer_norm_epsilon");
  model.initializer_range = file.real_or(usual.initializer_range, "initializer_range");
  FolderConfig found;
  for (const char* key : {"resid_pdrop", "embd_pdrop", "attn_pdrop"}) {
    found.dropouts.emplace_back(key, file.real_or(usual.dropout_prob, key));
  }
  model.dropout_prob = found.dropouts.front().second;
  found.model = model;
  return found;
}

std::string gpt2_config_json(const gpt2::Config& model, const Vocabulary& vocabulary, io::StoredType type) {
  const nlohmann::json dropout = short_number(model.dropout_prob);
  nlohmann::ordered_json document{{"architectures", {"GPT2LMHeadModel"}},
                                  {"model_type", "gpt2"},
                                  {"n_layer", model.layers},
                                  {"n_embd", model.hidden_size},
                                  {"n_head", model.heads},
                                  {"n_inner", model.intermediate_size},
                                  {"activation_function", "gelu_new"},
                                  {"n_positions", model.max_positions},
                                  {"n_ctx", model.max_positions},
                                  {"vocab_size", model.vocab_size},
                                  {"resid_pdrop", dropout},
                                  {"embd_pdrop", dropout},
                                  {"attn_pdrop", dropout},
                                  {"layer_norm_epsilon", short_number(model.layer_norm_eps)},
                                  {"initializer_range", short_number(model.initializer_range)},
                                  {"scale_attn_weights", true},
                                  {"tie_word_embeddings", true},
                                  {"torch_dtype", torch_name(type)}};
  if (!vocabulary.tokens.empty()) {
    const nlohmann::json end = end_of_text(vocabulary);
    document["bos_token_id"] = end;
    document["eos_token_id"] = end;
  }
  return document.dump(2) + "\n";
}

}  // namespace phasor::transformers
