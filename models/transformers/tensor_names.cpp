#include "models/transformers/tensor_names.h"

#include <utility>

namespace phasor::transformers {

std::string canonical_name(std::string_view stored) {
  std::string name(stored);
  for (const char* part : {"embeddings.", "encoder.", "pooler."}) {
    if (stored.starts_with(part)) name.insert(0, "bert.");
  }
  constexpr std::pair<std::string_view, std::string_view> kOldNames[] = {{"LayerNorm.gamma", "LayerNorm.weight"},
                                                                         {"LayerNorm.beta", "LayerNorm.bias"}};
  for (const auto& [old_end, end] : kOldNames) {
    if (name.ends_with(old_end)) name.replace(name.size() - old_end.size(), old_end.size(), end);
  }
  return name;
}

bool is_of_head(std::string_view canonical) { return canonical.starts_with("qa_outputs."); }

}  // namespace phasor::transformers
