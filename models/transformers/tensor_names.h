// The names under which Transformers has kept one and the same tensor of a model.
#pragma once

#include <string>
#include <string_view>

namespace phasor::transformers {

struct TensorNames {
  // The canonical name (engine/train/state.h) of a stored one. Names that no tensor of the model ever had are their
  // own.
  std::string (*canonical)(std::string_view stored);

  // Whether a tensor is no weight, and of no use to anybody.
  bool (*is_buffer)(std::string_view canonical);

  // A head that a folder may lack: how the names of its tensors begin, and what people call it. "": there is none.
  std::string_view head, head_help;

  // A tensor that a folder may hold besides another one, which it is: the canonical names of both. "": there is none.
  std::string_view copy, original;

  bool is_of_head(std::string_view name) const { return !head.empty() && name.starts_with(head); }
};

// Of a BERT with a head that answers questions. Models without a head are stored without the prefix "bert."; the scale
// and the shift of layer norms were called gamma and beta.
TensorNames bert_tensor_names();

// Of a GPT-2 that predicts text. Models without a head are stored without the prefix "transformer."; which tokens see
// each other was kept beside the weights of attention, and the head beside the table of words that it is.
TensorNames gpt2_tensor_names();

}  // namespace phasor::transformers
