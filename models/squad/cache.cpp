#include "models/squad/cache.h"

#include <array>
#include <filesystem>
#include <xxhash.h>

#include "engine/base/error.h"
#include "io/files/atomic_file.h"
#include "io/files/cached_files.h"
#include "io/files/text_file.h"
#include "io/hdf5/hdf5.h"

namespace phasor::squad {

namespace {

constexpr io::CachedKind kKind{.kind = "squad", .version = 3, .ending = "h5", .most = kCachedFiles};

// Calls part(name, list) for each list of the features.
template <class Features, class Part>
void for_each_list(Features& features, Part part) {
  part("/rows", features.rows);
  part("/tokens", features.tokens);
  part("/char_begins", features.char_begins);
  part("/char_ends", features.char_ends);
  part("/questions", features.questions);
  part("/context_begins", features.context_begins);
  part("/starts", features.starts);
  part("/ends", features.ends);
}

void write_features(const std::string& path, const Features& features) {
  auto file = io::Hdf5File::create(path);
  file.set_attribute("/", "format", kKind.version);
  file.set_attribute("/", "pad", std::int64_t{features.pad});
  for_each_list(features,
                [&](const char* name, const auto& list) { file.write(name, {std::ssize(list)}, std::span(list)); });
  file.close();
}

Features read_features(const std::string& path, const FeatureSettings& settings) {
  const auto file = io::Hdf5File::open(path);
  Features features;
  features.pad = static_cast<std::int32_t>(file.integer_attribute("/", "pad"));
  for_each_list(features, [&]<class T>(const char* name, std::vector<T>& list) {
    check(file.has_sum(name), "cache: '{}' '{}' has lost its sum. The file is damaged", path, name);
    list = file.read<T>(name);
  });
  // The sums speak for the numbers; that the lists belong together is left to see.
  const std::int64_t count = features.size();
  const std::int64_t tokens = std::ssize(features.tokens);
  const std::int64_t characters = settings.keep_characters ? tokens : 0;
  const bool consistent = std::ssize(features.rows) == count + 1 && features.rows.back() == tokens &&
                          std::ssize(features.context_begins) == count && std::ssize(features.starts) == count &&
                          std::ssize(features.ends) == count && std::ssize(features.char_begins) == characters &&
                          std::ssize(features.char_ends) == characters;
  check(consistent, "cache: '{}' holds lists that do not belong together", path);
  return features;
}

Features read_and_make(const SourceFiles& files, const FeatureSettings& settings, io::Listener& listener) {
  const auto wordpiece = io::WordPiece::load(files.vocab);
  const io::SquadData data = io::read_squad(files.data, io::SquadAnswers::Required, listener);
  const auto progress = listener.progress("features", std::ssize(data.questions), "questions");
  return make_features(data, wordpiece, settings, progress.get());
}

void keep_features(const std::string& path, const Features& features) {
  const std::filesystem::path directory = std::filesystem::path(path).parent_path();
  std::error_code error;  // what cannot be made here cannot be written below either
  std::filesystem::create_directories(directory, error);
  io::write_atomically(path, [&](const std::string& temporary) { write_features(temporary, features); });
  io::clean_cache(kKind, directory);
}

}  // namespace

std::string cache_path(const SourceFiles& files, const FeatureSettings& settings, const std::string& directory) {
  std::array<XXH128_hash_t, 2> contents;
  const auto hash = [](const std::string& bytes) { return XXH3_128bits(bytes.data(), bytes.size()); };
  contents[0] = hash(io::read_file("squad", files.data));
  contents[1] = hash(io::read_file("vocab", files.vocab));
  const std::string key = fmt::format(
      "format {} data {:x}{:x} vocab {:x}{:x} length {} stride {} query {} characters {}", kKind.version,
      contents[0].high64, contents[0].low64, contents[1].high64, contents[1].low64, settings.sequence_length,
      settings.document_stride, settings.max_query_length, settings.keep_characters);
  return io::cached_path(kKind, directory, key);
}

CachedFeatures cached_features(const SourceFiles& files, const FeatureSettings& settings, const std::string& directory,
                               io::Listener& listener) {
  CachedFeatures result;
  if (directory.empty()) {
    result.features = read_and_make(files, settings, listener);
    return result;
  }
  const std::string path = cache_path(files, settings, directory);
  if (std::filesystem::exists(path)) {
    try {
      result.features = read_features(path, settings);
      result.from_cache = true;
      io::mark_used(path);
      return result;
    } catch (const UserError& error) {
      result.note = fmt::format("{}; features are made anew", error.what());
    }
  }
  result.features = read_and_make(files, settings, listener);
  try {
    keep_features(path, result.features);
  } catch (const UserError& error) {
    result.note = fmt::format("{}; features are not kept", error.what());
  }
  return result;
}

}  // namespace phasor::squad
