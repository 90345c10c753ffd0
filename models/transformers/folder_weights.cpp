#include "models/transformers/folder_weights.h"

#include <algorithm>
#include <bit>
#include <filesystem>
#include <functional>
#include <numeric>
#include <set>

#include "engine/base/error.h"
#include "engine/base/finite.h"
#include "io/files/text_file.h"
#include "io/json/json_text.h"

namespace phasor::transformers {

namespace {

constexpr const char* kWhole = "/model.safetensors";
constexpr const char* kIndex = "/model.safetensors.index.json";

bool exists(const std::string& path) { return std::filesystem::exists(path); }

std::int64_t count_elements(const io::StoredTensor& tensor) {
  return std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t{1}, std::multiplies<>());
}

}  // namespace

FolderWeights::FolderWeights(const std::string& folder, TensorNames names, const std::vector<CanonicalTensor>& tensors)
    : folder_(folder), names_(names) {
  open_files();
  has_head_ = names_.head.empty() || std::ranges::any_of(tensors, [&](const CanonicalTensor& tensor) {
                return names_.is_of_head(tensor.name) && has(tensor);
              });
  std::set<std::string, std::less<>> known;
  for (const CanonicalTensor& tensor : tensors) {
    known.insert(tensor.name);
    if (has_head_ || !names_.is_of_head(tensor.name)) check_tensor(tensor);
  }
  if (places_.contains(names_.copy)) {
    known.emplace(names_.copy);
    check_copy();
  }
  for (const auto& [name, place] : places_) {
    if (!known.contains(name) && !names_.is_buffer(name)) unused_.push_back(place.tensor->name);
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
  const auto [place, fresh] = places_.emplace(names_.canonical(tensor.name), Place{file, &tensor});
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

void FolderWeights::check_copy() const {
  const Place &copy = places_.find(names_.copy)->second, &original = places_.find(names_.original)->second;
  check(copy.tensor->shape == original.tensor->shape && io::find_stored_type(copy.tensor->dtype).has_value(),
        "transformers: '{}' has '{}', {}, which should be '{}', {}", folder_, copy.tensor->name,
        to_string(*copy.tensor), original.tensor->name, to_string(*original.tensor));
  const std::vector<float> ours = read(original), theirs = read(copy);
  const auto bits = [](float x) { return std::bit_cast<std::uint32_t>(x); };
  const auto [a, b] = std::ranges::mismatch(ours, theirs, {}, bits, bits);
  check(a == ours.end(),
        "transformers: '{}' has '{}' and '{}', which differ at element {}: {} and {}. In Phasor's model they are one",
        folder_, original.tensor->name, copy.tensor->name, a - ours.begin(), a == ours.end() ? 0 : *a,
        b == theirs.end() ? 0 : *b);
}

std::vector<float> FolderWeights::read(const CanonicalTensor& tensor) const { return read(places_.at(tensor.name)); }

std::vector<float> FolderWeights::read(const Place& place) const {
  std::vector<float> values(static_cast<std::size_t>(count_elements(*place.tensor)));
  files_[place.file].read(*place.tensor, values);
  const std::optional<std::size_t> wrong = first_not_finite(values);
  check(!wrong, "transformers: '{}' tensor '{}' has {} as element {}, expected finite numbers",
        files_[place.file].path(), place.tensor->name, wrong ? values[*wrong] : 0, wrong.value_or(0));
  return values;
}

}  // namespace phasor::transformers
