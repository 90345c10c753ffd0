#include "engine/train/state.h"

#include <algorithm>

#include "engine/base/random.h"

namespace phasor {

namespace {

// Elements [slice * count, (slice + 1) * count), as far as they exist.
std::span<const float> part_of_slice(std::span<const float> values, std::int64_t slice, std::int64_t count) {
  const auto size = static_cast<std::int64_t>(values.size());
  const std::int64_t begin = std::min(slice * count, size), end = std::min(begin + count, size);
  return values.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

// Of a variable, or of all its slices together.
std::vector<float> initial_values(const Stage& stage, const Variable& variable, std::uint64_t seed,
                                  std::uint32_t stream) {
  std::vector<float> values(static_cast<std::size_t>(count_elements(stage, variable)), 0.0f);
  switch (variable.initialiser.kind) {
    case Initialiser::Kind::zeros:
      break;
    case Initialiser::Kind::ones:
      std::ranges::fill(values, 1.0f);
      break;
    case Initialiser::Kind::normal:
      fill_normal(seed, stream, variable.initialiser.deviation, values);
      break;
    case Initialiser::Kind::truncated_normal:
      fill_truncated_normal(seed, stream, variable.initialiser.deviation, values);
      break;
    case Initialiser::Kind::uniform:
      fill_uniform(seed, stream, variable.initialiser.limit, values);
      break;
  }
  return values;
}

}  // namespace

std::vector<CanonicalTensor> canonical_tensors(const Stages& stages) {
  std::vector<CanonicalTensor> tensors;
  for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
    const Stage& stage = stages[s];
    const int slices = stage.sliced() ? stage.instances : 1;
    for (int n = 0; n < stage.instances; n += slices) {
      const std::string prefix = fmt::format(fmt::runtime(stage.prefix), stage.first_number + n);
      for (int v = 0; v < static_cast<int>(stage.variables.size()); ++v) {
        const Variable& variable = stage.variables[v];
        if (variable.tied_to) continue;
        const std::vector<std::string> parts = variable.parts.empty() ? std::vector{variable.name} : variable.parts;
        const Shape& whole = stage.graph.spec(variable.value).shape;
        const auto count = static_cast<std::int64_t>(parts.size());
        const std::int64_t rows = stage.sliced() ? stage.sliced_rows : whole[0];
        ensure(rows % count == 0, "variable '{}': {} rows do not divide into {} parts", variable.name, rows, count);
        std::vector<std::int64_t> extents(whole.extents().begin(), whole.extents().end());
        extents[0] = rows / count;
        const Shape shape(extents);
        for (std::int64_t part = 0; part < count; ++part) {
          tensors.push_back({.name = prefix + parts[part],
                             .shape = shape,
                             .stage = s,
                             .instance = n,
                             .variable = v,
                             .slices = slices,
                             .first_element = part * shape.elements()});
        }
      }
    }
  }
  return tensors;
}

ModelState::ModelState(const Stages& stages, RemoteMemory& memory, std::int64_t rts_threshold,
                       const OptimizerOptions& optimizer)
    : stages_(stages), memory_(memory), rts_threshold_(rts_threshold), optimizer_(optimizer) {
  for (int s = 0; s < static_cast<int>(stages.size()); ++s) {
    for (int v = 0; v < static_cast<int>(stages[s].variables.size()); ++v) {
      if (stages[s].variables[v].tied_to) continue;
      for (StateKind kind : kUpdatedStates) {
        if (keeps(kind, s, v)) place(kind, s, v);
      }
    }
  }
}

Placement ModelState::placement(StateKind kind, int stage, int variable) const {
  const Stage& s = stages_[stage];
  const Variable& v = s.variables[variable];
  Placement placed =
      place_variable(s.graph.spec(v.value), memory_.replicas(), rts_threshold_, !optimizer_.stochastic_rounding);
  placed.matrices = matrices_of(s, v, optimizer_);
  if (!placed.is_factored(kind)) return placed;
  const std::int64_t numbers = placed.matrices.numbers();
  return {.elements = numbers, .local_elements = numbers, .gathered_elements = numbers};
}

bool ModelState::keeps(StateKind kind, int stage, int variable) const {
  return keeps_state(kind, stages_[stage].variables[variable], placement(kind, stage, variable), optimizer_);
}

ModelState::Place ModelState::place(StateKind kind, int stage, int variable) const {
  const Placement placed = placement(kind, stage, variable);
  return {memory_.open(state_buffer(kind, stages_[stage], stages_[stage].variables[variable], placed)), placed};
}

CanonicalTensor ModelState::kept(StateKind kind, const CanonicalTensor& tensor) const {
  const Stage& stage = stages_[tensor.stage];
  const Matrices matrices = matrices_of(stage, stage.variables[tensor.variable], optimizer_);
  if (kind != StateKind::moment2 || matrices.count == 0) return tensor;
  CanonicalTensor made = tensor;
  made.shape = {matrices.rows + matrices.columns};
  made.first_element = tensor.first_element / tensor.shape.elements() * made.shape.elements();
  return made;
}

void ModelState::initialise(std::uint64_t seed) {
  std::uint32_t stream = 0;
  for (int s = 0; s < static_cast<int>(stages_.size()); ++s) {
    const Stage& stage = stages_[s];
    const int slices = stage.sliced() ? stage.instances : 1;
    for (int n = 0; n < stage.instances; n += slices) {
      for (int v = 0; v < static_cast<int>(stage.variables.size()); ++v) {
        if (stage.variables[v].tied_to) continue;
        const std::vector<float> values = initial_values(stage, stage.variables[v], seed, stream);
        const std::int64_t elements = stage.graph.spec(stage.variables[v].value).elements();
        for (int slice = 0; slice < slices; ++slice) {
          std::vector<float> part(static_cast<std::size_t>(elements), 0.0f);
          for (StateKind moment : {StateKind::moment1, StateKind::moment2}) {
            const std::vector<float> zeros(static_cast<std::size_t>(placement(moment, s, v).elements), 0.0f);
            write(moment, s, n + slice, v, zeros);
          }
          std::ranges::copy(part_of_slice(values, slice, elements), part.begin());
          write(StateKind::weight, s, n + slice, v, part);
        }
        ++stream;
      }
    }
  }
}

template <class T>
void ModelState::load_parts(StateKind kind, int stage, int instance, int variable, std::vector<T>& values) const {
  const auto [buffer, placement] = place(kind, stage, variable);
  values.resize(static_cast<std::size_t>(placement.gathered_elements));
  const auto local = static_cast<std::size_t>(placement.local_elements);
  for (int replica = 0; replica < (placement.sharded ? memory_.replicas() : 1); ++replica) {
    buffer.load(replica, instance, std::span(values).subspan(replica * local, local));
  }
  values.resize(static_cast<std::size_t>(placement.elements));
}

template <class T>
void ModelState::store_parts(StateKind kind, int stage, int instance, int variable, std::span<const float> values) {
  const auto [buffer, placement] = place(kind, stage, variable);
  std::vector<T> padded(static_cast<std::size_t>(placement.gathered_elements));
  std::ranges::transform(values, padded.begin(), [](float x) { return from_float<T>(x); });
  const auto local = static_cast<std::size_t>(placement.local_elements);
  for (int replica = 0; replica < memory_.replicas(); ++replica) {
    const std::size_t first = placement.sharded ? replica * local : 0;
    buffer.store(replica, instance, std::span<const T>(padded).subspan(first, local));
  }
}

void ModelState::read(StateKind kind, int stage, int instance, int variable, std::vector<float>& values) const {
  const Placement placed = placement(kind, stage, variable);
  if (!keeps(kind, stage, variable)) {
    values.assign(static_cast<std::size_t>(placed.elements), 0);
    return;
  }
  if (placed.dtype(kind) == DType::f32) {
    load_parts(kind, stage, instance, variable, values);
    return;
  }
  std::vector<bfloat16> stored;
  load_parts(kind, stage, instance, variable, stored);
  values.resize(stored.size());
  std::ranges::transform(stored, values.begin(), [](bfloat16 x) { return to_float(x); });
}

std::vector<float> ModelState::read(StateKind kind, int stage, int instance, int variable) const {
  std::vector<float> values;
  read(kind, stage, instance, variable, values);
  return values;
}

void ModelState::write(StateKind kind, int stage, int instance, int variable, std::span<const float> values) {
  const Placement placed = placement(kind, stage, variable);
  ensure(static_cast<std::int64_t>(values.size()) == placed.elements, "state: {} values for a variable of {}",
         values.size(), placed.elements);
  if (!keeps(kind, stage, variable)) return;
  if (placed.dtype(kind) == DType::f32) {
    store_parts<float>(kind, stage, instance, variable, values);
  } else {
    store_parts<bfloat16>(kind, stage, instance, variable, values);
  }
  if (kind == StateKind::weight && placed.rounds()) {
    store_parts<bfloat16>(StateKind::rounded, stage, instance, variable, values);
  }
}

void ModelState::read_whole(StateKind kind, const CanonicalTensor& tensor, std::vector<float>& values) const {
  read(kind, tensor.stage, tensor.instance, tensor.variable, values);
  for (int slice = 1; slice < tensor.slices; ++slice) {
    const std::vector<float> next = read(kind, tensor.stage, tensor.instance + slice, tensor.variable);
    values.insert(values.end(), next.begin(), next.end());
  }
}

void ModelState::write_whole(StateKind kind, const CanonicalTensor& tensor, std::span<const float> values) {
  if (tensor.slices == 1) return write(kind, tensor.stage, tensor.instance, tensor.variable, values);
  const Stage& stage = stages_[tensor.stage];
  const std::int64_t elements = stage.graph.spec(stage.variables[tensor.variable].value).elements();
  for (int slice = 0; slice < tensor.slices; ++slice) {
    std::vector<float> part(static_cast<std::size_t>(elements), 0.0f);
    std::ranges::copy(part_of_slice(values, slice, elements), part.begin());
    write(kind, tensor.stage, tensor.instance + slice, tensor.variable, part);
  }
}

void ModelState::read_part(StateKind kind, const CanonicalTensor& of_weight, std::int64_t first,
                           std::span<float> values) const {
  const CanonicalTensor tensor = kept(kind, of_weight);
  if (!keeps(kind, tensor)) {
    std::ranges::fill(values, 0.0f);
    return;
  }
  const auto [buffer, placement] = place(kind, tensor.stage, tensor.variable);
  const bool converts = placement.dtype(kind) != DType::f32;
  std::vector<bfloat16> stored;
  for (std::int64_t element = tensor.first_element + first; !values.empty();) {
    const std::int64_t slice = element / placement.elements, inside = element % placement.elements;
    const std::int64_t replica = placement.sharded ? inside / placement.local_elements : 0;
    const std::int64_t local = inside - replica * placement.local_elements;
    const std::int64_t end = std::min(placement.elements - inside, placement.local_elements - local);
    const auto part = values.first(std::min(values.size(), static_cast<std::size_t>(end)));
    const auto row = tensor.instance + static_cast<int>(slice);
    const auto load = [&, &buffer = buffer](auto to) {
      buffer.load(static_cast<int>(replica), row, std::span<std::byte>(std::as_writable_bytes(to)),
                  local * static_cast<std::int64_t>(sizeof(to[0])));
    };
    if (converts) {
      stored.resize(part.size());
      load(std::span(stored));
      std::ranges::transform(stored, part.begin(), [](bfloat16 x) { return to_float(x); });
    } else {
      load(part);
    }
    element += static_cast<std::int64_t>(part.size());
    values = values.subspan(part.size());
  }
}

std::vector<float> ModelState::read(StateKind kind, const CanonicalTensor& tensor) const {
  std::vector<float> values(static_cast<std::size_t>(kept(kind, tensor).shape.elements()));
  read_part(kind, tensor, 0, values);
  return values;
}

void ModelState::write(StateKind kind, const CanonicalTensor& of_weight, std::span<const float> values) {
  const CanonicalTensor tensor = kept(kind, of_weight);
  ensure(static_cast<std::int64_t>(values.size()) == tensor.shape.elements(), "state: {} values for '{}' {}",
         values.size(), tensor.name, to_string(tensor.shape));
  std::vector<float> whole;
  read_whole(kind, tensor, whole);
  std::ranges::copy(values, whole.begin() + tensor.first_element);
  write_whole(kind, tensor, whole);
}

}  // namespace phasor
