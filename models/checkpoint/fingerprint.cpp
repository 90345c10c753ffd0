#include "models/checkpoint/fingerprint.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <memory>
#include <xxhash.h>

#include "models/checkpoint/position.h"

namespace phasor::run {

namespace {

static_assert(std::endian::native == std::endian::little, "elements are hashed with the lowest byte first");

constexpr std::int64_t kPiece = 1 << 16;  // elements: a quarter of a mebibyte, which stays in the caches

std::string digits(XXH128_hash_t hash) { return fmt::format("{:016x}{:016x}", hash.high64, hash.low64); }

// "weight/bert.pooler.bias f32[4]" to the digits of its elements, in the order in which they are put together.
using TensorHashes = std::map<std::string, std::string>;

std::string key_of(StateKind kind, const std::string& name, const Shape& shape) {
  return fmt::format("{}/{} {}", state_info(kind).name, name, to_string(shape));
}

std::string combined(const TensorHashes& hashes) {
  std::string text;
  for (const auto& [key, hash] : hashes) text += fmt::format("{} {}\n", key, hash);
  return digits(XXH3_128bits(text.data(), text.size()));
}

struct FreeState {
  void operator()(XXH3_state_t* state) const { XXH3_freeState(state); }
};

// The hash of `elements` floats, which read(first, to) gives piece by piece.
template <class Read>
std::string hash_elements(std::int64_t elements, std::vector<float>& piece, Read read) {
  const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
  XXH3_128bits_reset(state.get());
  for (std::int64_t first = 0; first < elements; first += kPiece) {
    const auto part = std::span(piece).first(static_cast<std::size_t>(std::min(kPiece, elements - first)));
    read(first, part);
    XXH3_128bits_update(state.get(), part.data(), part.size_bytes());
  }
  return digits(XXH3_128bits_digest(state.get()));
}

}  // namespace

std::string fingerprint(const Stages& stages, const ModelState& state) {
  TensorHashes hashes;
  std::vector<float> piece(static_cast<std::size_t>(kPiece));
  for (const CanonicalTensor& tensor : canonical_tensors(stages)) {
    for (StateKind kind : kSavedStates) {
      const Shape shape = state.kept(kind, tensor).shape;
      hashes[key_of(kind, tensor.name, shape)] =
          hash_elements(shape.elements(), piece,
                        [&](std::int64_t first, std::span<float> to) { state.read_part(kind, tensor, first, to); });
    }
  }
  return combined(hashes);
}

std::string fingerprint_of_checkpoint(const std::string& path) {
  const io::Hdf5File file = open_checkpoint(path);
  TensorHashes hashes;
  for (StateKind kind : kSavedStates) {
    const std::string group = fmt::format("/{}", state_info(kind).name);
    if (!file.exists(group)) continue;
    for (const std::string& name : file.children(group)) {
      const std::vector<float> values = file.read<float>(fmt::format("{}/{}", group, name));
      const std::string hash = digits(XXH3_128bits(values.data(), values.size() * sizeof(float)));
      hashes[key_of(kind, name, file.dataset(fmt::format("{}/{}", group, name)).shape)] = hash;
    }
  }
  return combined(hashes);
}

}  // namespace phasor::run
