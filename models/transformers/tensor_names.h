// The names under which Transformers has kept one and the same tensor of a BERT.
#pragma once

#include <string>
#include <string_view>

namespace phasor::transformers {

// The canonical name (engine/train/state.h) of a stored one. Models without a head are stored without the prefix
// "bert."; the scale and the shift of layer norms were called gamma and beta. Other names are their own.
std::string canonical_name(std::string_view stored);

// Whether the canonical tensor is of the question-answering head, which a folder may lack.
bool is_of_head(std::string_view canonical);

}  // namespace phasor::transformers
