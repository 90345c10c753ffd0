// The weights of a Transformers folder: model.safetensors, or the shards that model.safetensors.index.json lists.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/train/state.h"
#include "io/safetensors/safetensors.h"
#include "models/transformers/tensor_names.h"

namespace phasor::transformers {

class FolderWeights {
 public:
  // Opens the files and checks them against the model: each of its tensors is there in its shape, as float32, float16
  // or bfloat16; all of a head that may be missing may be. Anything else is a UserError of two facts. No weight is read
  // yet, but where there is a copy of one: its elements must be those of the original.
  FolderWeights(const std::string& folder, TensorNames names, const std::vector<CanonicalTensor>& tensors);

  // A weight of the model that the folder has, as float32, exactly. NaN or infinity in it is a UserError.
  bool has(const CanonicalTensor& tensor) const { return places_.contains(tensor.name); }
  std::vector<float> read(const CanonicalTensor& tensor) const;

  bool has_head() const { return has_head_; }  // if the model has one to lack
  // Stored names of what the model has not: the pooler, heads of other tasks. Buffers are none.
  const std::vector<std::string>& unused() const { return unused_; }

 private:
  struct Place {
    std::size_t file = 0;
    const io::StoredTensor* tensor = nullptr;
  };

  void open_files();
  void open_shards(const std::string& index);
  void add(std::size_t file, const io::StoredTensor& tensor);
  void check_tensor(const CanonicalTensor& tensor) const;
  void check_copy() const;
  std::vector<float> read(const Place& place) const;

  std::string folder_;
  TensorNames names_;
  std::vector<io::SafetensorsFile> files_;
  std::map<std::string, Place, std::less<>> places_;  // by canonical name
  std::vector<std::string> unused_;
  bool has_head_ = false;
};

}  // namespace phasor::transformers
