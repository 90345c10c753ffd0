#include "models/checkpoint/checkpoint.h"

#include <algorithm>
#include <set>

#include "engine/base/finite.h"
#include "io/files/atomic_file.h"

namespace phasor::run {

namespace {

std::string saved_name(StateKind kind, const CanonicalTensor& tensor) {
  return fmt::format("/{}/{}", state_info(kind).name, tensor.name);
}

std::int64_t bytes_of(const std::vector<CanonicalTensor>& tensors, const ModelState& state) {
  std::int64_t elements = 0;
  for (const CanonicalTensor& tensor : tensors) {
    for (StateKind kind : kSavedStates) elements += state.kept(kind, tensor).shape.elements();
  }
  return elements * static_cast<std::int64_t>(sizeof(float));
}

// Calls visit(tensors) for the canonical tensors of each variable of each stage instance.
template <class Visit>
void for_each_saved_variable(const std::vector<CanonicalTensor>& tensors, Visit visit) {
  const auto same = [](const CanonicalTensor& a, const CanonicalTensor& b) {
    return a.stage == b.stage && a.instance == b.instance && a.variable == b.variable;
  };
  for (auto first = tensors.begin(); first != tensors.end();) {
    const auto last = std::find_if_not(first, tensors.end(), [&](const auto& tensor) { return same(*first, tensor); });
    visit(std::span(first, last));
    first = last;
  }
}

void check_saved_tensor(const io::Hdf5File& file, const std::string& name, const Shape& expected, bool summed) {
  check(file.exists(name), "checkpoint: '{}' has no tensor '{}'. Is it of another model?", file.path(), name);
  const io::Hdf5Dataset found = file.dataset(name);
  check(found.type == io::Hdf5Type::f32 && found.shape == expected,
        "checkpoint: '{}' tensor '{}' is {}{}, the model's is f32{}", file.path(), name, io::name_of(found.type),
        to_string(found.shape), to_string(expected));
  check(!summed || file.has_sum(name), "checkpoint: '{}' tensor '{}' has lost its sum. The file is damaged",
        file.path(), name);
}

// That the file holds the model's tensors of these kinds, as far as its state keeps them, and no others.
void check_saved_tensors(const io::Hdf5File& file, const std::vector<CanonicalTensor>& tensors, const ModelState& state,
                         std::span<const StateKind> kinds) {
  std::set<std::string> names;
  for (const CanonicalTensor& tensor : tensors) names.insert(tensor.name);
  const bool summed = has_sums(file);
  for (StateKind kind : kinds) {
    const std::string group = fmt::format("/{}", state_info(kind).name);
    const bool kept = std::ranges::any_of(tensors, [&](const auto& tensor) { return state.keeps(kind, tensor); });
    check(!kept || file.exists(group),
          "checkpoint: '{}' has no {}, which training.optimizer keeps. Was it trained by another one?", file.path(),
          state_info(kind).name);
    for (const CanonicalTensor& tensor : tensors) {
      if (!state.keeps(kind, tensor)) continue;
      check_saved_tensor(file, saved_name(kind, tensor), state.kept(kind, tensor).shape, summed);
    }
    if (!file.exists(group)) continue;
    for (const std::string& name : file.children(group)) {
      check(names.contains(name), "checkpoint: '{}' has a tensor '{}/{}', the model has none of that name", file.path(),
            group, name);
    }
  }
}

void read_saved_tensor(const io::Hdf5File& file, const std::string& name, std::span<float> values) {
  file.read(name, values);
  const std::optional<std::size_t> wrong = first_not_finite(values);
  check(!wrong, "checkpoint: '{}' tensor '{}' has {} as element {}, expected finite numbers", file.path(), name,
        wrong ? values[*wrong] : 0, wrong.value_or(0));
}

void load_states(const std::string& path, const Stages& stages, ModelState& state, std::span<const StateKind> kinds,
                 io::Listener& listener) {
  const io::Hdf5File file = open_checkpoint(path);
  const std::vector<CanonicalTensor> tensors = canonical_tensors(stages);
  check_saved_tensors(file, tensors, state, kinds);
  const auto progress = listener.progress("loading", std::ssize(tensors) * std::ssize(kinds), "tensors");
  std::vector<float> values;  // of the whole variable
  for_each_saved_variable(tensors, [&](std::span<const CanonicalTensor> parts) {
    const CanonicalTensor& last = parts.back();
    for (StateKind kind : kinds) {
      if (!state.keeps(kind, last)) continue;
      const CanonicalTensor end = state.kept(kind, last);
      values.resize(static_cast<std::size_t>(end.first_element + end.shape.elements()));
      for (const CanonicalTensor& of_weight : parts) {
        const CanonicalTensor part = state.kept(kind, of_weight);
        read_saved_tensor(file, saved_name(kind, part),
                          std::span(values).subspan(static_cast<std::size_t>(part.first_element),
                                                    static_cast<std::size_t>(part.shape.elements())));
      }
      state.write_whole(kind, last, values);
      progress->advance(std::ssize(parts));
    }
  });
}

}  // namespace

std::int64_t count_saved_tensors(const Stages& stages) {
  return std::ssize(canonical_tensors(stages)) * std::ssize(kSavedStates);
}

void save_checkpoint(const std::string& path, const Stages& stages, const ModelState& state,
                     const RunPosition& position, const io::Hdf5Storage& storage, const SaveListener& listener) {
  const std::vector<CanonicalTensor> tensors = canonical_tensors(stages);
  io::write_atomically(path, [&](const std::string& temporary) {
    io::Hdf5File file = io::Hdf5File::create(temporary);
    if (storage.deflate == 0) file.expect_bytes(bytes_of(tensors, state));
    write_position(file, position);
    for_each_saved_variable(tensors, [&](std::span<const CanonicalTensor> parts) {
      for (StateKind kind : kSavedStates) {
        if (!state.keeps(kind, parts.front())) continue;
        for (const CanonicalTensor& part : parts) {
          const auto source = [&](std::int64_t first, std::span<float> values) {
            state.read_part(kind, part, first, values);
          };
          file.write_from<float>(saved_name(kind, part), state.kept(kind, part).shape, source, storage);
          listener.tensor_saved();
        }
      }
    });
    listener.state_read();
    file.close();
  });
}

void load_checkpoint(const std::string& path, const Stages& stages, ModelState& state, io::Listener& listener) {
  load_states(path, stages, state, kSavedStates, listener);
}

void load_weights(const std::string& path, const Stages& stages, ModelState& state, io::Listener& listener) {
  constexpr StateKind kWeights[] = {StateKind::weight};
  load_states(path, stages, state, kWeights, listener);
}

}  // namespace phasor::run
