#include "models/transformers/folder_weights.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "engine/base/error.h"
#include "engine/base/finite.h"
#include "io/files/text_file.h"
#include "io/json/json_text.h"
#include "models/transformers/tensor_names.h"

namespace phasor::transformers {

namespace {

constexpr const char* kWhole = "/model.safetensors";
constexpr const char* kIndex = "/model.safetensors.index.json";

bool exists(const std::string& path) { return std::filesystem::exists(path); }

}  // namespace

FolderWeights::FolderWeights(const std::string& folder, const std::vector<CanonicalTensor>& tensors) : folder_(folder) {
  open_files();
  has_head_ = std::ranges::any_of(tensors, [&](const auto& tensor) { return is_of_head(tensor.name) && has(tensor); });
  std::set<std::string> of_model;
  for (const CanonicalTensor& tensor : tensors) {
    of_model.insert(tensor.name);
    if (has_head_ || !is_of_head(tensor.name)) check_tensor(tensor);
  }
  for (const auto& [name, place] : places_) {
    if (!of_model.contains(name)) unused_.push_back(place.tensor->name);
  }
}

void FolderWeights::open_files() {
  if (exists(folder_ + kWhole)) {
    files_.emplace_back(folder_ + kWhole);
    for (const io::StoredTensor& tensor : files_[0].tensors()) add(0, tensor);
  } else if (exists(folder_ + kIndex)) {
    open_shards(folder_ + kIndex);
  } else {
    const bool pickled = exists(folder_ + "/pytorch_model.bin") || exists(folder_ + "/pytorch_model.bin.index.json");
    check(!pickled,
          "transformers: '{}' has its weights in pytorch_model.bin only, which runs code when it is read. Load it in "
          "Transformers and save_pretrained it: that writes model.safetensors",
          folder_);
    check(false, "transformers: '{}' has no model.safetensors. Is it the folder of a model?", folder_);
  }
}

void FolderWeights::open_shards(const std::string& index) {
  const nlohmann::json document =
      io::parse_json("transformers", index, io::read_file("transformers", index), "model.safetensors.index.json");
  const auto map = document.is_object() ? document.find("weight_map") : document.end();
  check(map != document.end() && map->is_object(), "transformers: '{}' has no weight_map, an object", index);
  std::map<std::string, std::size_t> numbers;  // of the files, by name
  for (const auto& [tensor, file] : map->items()) {
    const std::string name = file.is_string() ? file.get<std::string>() : "";
    check(name.ends_with(".safetensors") && name.find('/') == name.npos,
          "transformers: '{}' has {} for tensor '{}', expected a .safetensors file beside it", index,
          io::shown(file.dump()), io::shown(tensor));
    numbers.emplace(name, 0);
  }
  for (auto& [name, number] : numbers) {
    number = files_.size();
    files_.emplace_back(folder_ + "/" + name);
  }
  for (const auto& [tensor, file] : map->items()) {
    const std::size_t number = numbers.at(file.get<std::string>());
    const io::StoredTensor* found = files_[number].find(tensor);
    check(found != nullptr, "transformers: '{}' says that tensor '{}' is in '{}', which has none of that name", index,
          io::shown(tensor), files_[number].path());
    add(number, *found);
  }
}

void FolderWeights::add(std::size_t file, const io::StoredTensor& tensor) {
  const auto [place, fresh] = places_.emplace(canonical_name(tensor.name), Place{file, &tensor});
  check(fresh, "transformers: '{}' has both '{}' and '{}', two names of one tensor", folder_,
        io::shown(place->second.tensor->name), io::shown(tensor.name));
}

void FolderWeights::check_tensor(const CanonicalTensor& tensor) const {
  const auto place = places_.find(tensor.name);
  check(place != places_.end(), "transformers: '{}' has no tensor '{}', the model of its config.json does", folder_,
        tensor.name);
  const io::StoredTensor& stored = *place->second.tensor;
  check(std::ranges::equal(stored.shape, tensor.shape.extents()),
        "transformers: '{}' tensor '{}' is {}, that of the model of its config.json is {}",
        files_[place->second.file].path(), stored.name, to_string(stored), to_string(tensor.shape));
  check(io::find_stored_type(stored.dtype).has_value(),
        "transformers: '{}' tensor '{}' is {}, expected F32, F16 or BF16", files_[place->second.file].path(),
        stored.name, to_string(stored));
}

std::vector<float> FolderWeights::read(const CanonicalTensor& tensor) const {
  const Place& place = places_.at(tensor.name);
  std::vector<float> values(static_cast<std::size_t>(tensor.shape.elements()));
  files_[place.file].read(*place.tensor, values);
  const std::optional<std::size_t> wrong = first_not_finite(values);
  check(!wrong, "transformers: '{}' tensor '{}' has {} as element {}, expected finite numbers",
        files_[place.file].path(), place.tensor->name, wrong ? values[*wrong] : 0, wrong.value_or(0));
  return values;
}

}  // namespace phasor::transformers
