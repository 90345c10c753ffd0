// Writes a model as a folder that Transformers loads: texts about it, and model.safetensors.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/train/state.h"
#include "io/safetensors/safetensors.h"
#include "models/transformers/tokenizer_files.h"

namespace phasor::transformers {

struct FolderContents {
  std::vector<TextFile> texts;           // FolderKind::text_files
  std::vector<CanonicalTensor> tensors;  // of the model
  io::StoredType type = io::StoredType::f32;
  std::function<std::vector<float>(const CanonicalTensor&)> read;  // called once for each, in their order
};

// Throws UserError if something stands under `folder` that write_folder would not replace: anything but an empty folder
// or, with `force`, a folder of nothing but files that write_folder wrote.
void check_replaceable(const std::string& folder, bool force);

// The folder appears under its name when it is complete; one that stood there is replaced, and is still there if
// anything fails.
void write_folder(const std::string& folder, const FolderContents& contents);

}  // namespace phasor::transformers
