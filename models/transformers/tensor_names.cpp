#include "models/transformers/tensor_names.h"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace phasor::transformers {

namespace {

// `prefix` before what begins with one of the parts of a model.
std::string with_prefix(const char* prefix, std::initializer_list<const char*> parts, std::string_view stored) {
  const bool bare = std::ranges::any_of(parts, [&](const char* part) { return stored.starts_with(part); });
  return bare ? std::string(prefix).append(stored) : std::string(stored);
}

std::string bert_name(std::string_view stored) {
  std::string name = with_prefix("bert.", {"embeddings.", "encoder.", "pooler."}, stored);
  constexpr std::pair<std::string_view, std::string_view> kOldNames[] = {{"LayerNorm.gamma", "LayerNorm.weight"},
                                                                         {"LayerNorm.beta", "LayerNorm.bias"}};
  for (const auto& [old_end, end] : kOldNames) {
    if (name.ends_with(old_end)) name.replace(name.size() - old_end.size(), old_end.size(), end);
  }
  return name;
}

std::string gpt2_name(std::string_view stored) {
  return with_prefix("transformer.", {"wte.", "wpe.", "h.", "ln_f."}, stored);
}

}  // namespace

TensorNames bert_tensor_names() {
  return {.canonical = bert_name,
          .is_buffer = [](std::string_view) { return false; },
          .head = "qa_outputs.",
          .head_help = "head for questions (qa_outputs)",
          .copy = "",
          .original = ""};
}

TensorNames gpt2_tensor_names() {
  return {.canonical = gpt2_name,
          .is_buffer = [](std::string_view n) { return n.ends_with(".attn.bias") || n.ends_with(".attn.masked_bias"); },
          .head = "",
          .head_help = "",
          .copy = "lm_head.weight",
          .original = "transformer.wte.weight"};
}

}  // namespace phasor::transformers
