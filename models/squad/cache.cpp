#include "models/squad/cache.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <string_view>
#include <xxhash.h>

#include "engine/base/error.h"
#include "io/files/atomic_file.h"
#include "io/files/text_file.h"
#include "io/hdf5/hdf5.h"

namespace phasor::squad {

namespace {

// Counts up whenever the same inputs give other features or another file.
constexpr std::int64_t kCacheFormat = 3;

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
  file.set_attribute("/", "format", kCacheFormat);
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

namespace fs = std::filesystem;

// Removes the characters at the beginning of `text` that belong to `set`, and returns them.
std::string_view take_all_of(std::string_view set, std::string_view& text) {
  const std::string_view taken = text.substr(0, text.find_first_not_of(set));
  text.remove_prefix(taken.size());
  return taken;
}

bool take(std::string_view prefix, std::string_view& text) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

struct CacheName {
  std::string_view version;  // of the format; the first had none in its names
  bool temporary = false;
};

// What the name of one of our files says: squad-v2-DIGITS.h5, while it is written with .1234.tmp behind.
std::optional<CacheName> parse_cache_name(std::string_view name) {
  CacheName parsed;
  if (!take("squad-", name)) return {};
  if (take("v", name)) {
    parsed.version = take_all_of("0123456789", name);
    if (parsed.version.empty() || !take("-", name)) return {};
  }
  if (take_all_of("0123456789abcdef", name).size() != 32 || !take(".h5", name)) return {};
  if (name.empty()) return parsed;
  parsed.temporary = true;
  const bool numbered = take(".", name) && !take_all_of("0123456789", name).empty();
  return numbered && name == ".tmp" ? std::optional(parsed) : std::nullopt;
}

// Cleans up as the header says. Another process may clean at the same time: what is gone already is no error.
void clean_up(const fs::path& directory) {
  constexpr std::chrono::hours kAbandoned{24};
  const std::string version = std::to_string(kCacheFormat);
  std::vector<std::pair<fs::file_time_type, fs::path>> kept;
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; entry != end; entry.increment(error)) {
    const fs::path& path = entry->path();
    const std::string name = path.filename();
    const std::optional<CacheName> ours = parse_cache_name(name);
    if (!ours) continue;
    const fs::file_time_type used = entry->last_write_time(error);
    const bool abandoned = fs::file_time_type::clock::now() - used > kAbandoned;
    if (ours->temporary ? abandoned : ours->version != version) {
      fs::remove(path, error);
    } else if (!ours->temporary) {
      kept.emplace_back(used, path);
    }
  }
  std::ranges::sort(kept);
  for (std::ptrdiff_t i = 0; i < std::ssize(kept) - kCachedFiles; ++i) fs::remove(kept[i].second, error);
}

void keep_features(const std::string& path, const Features& features) {
  const fs::path directory = fs::path(path).parent_path();
  std::error_code error;  // what cannot be made here cannot be written below either
  fs::create_directories(directory, error);
  io::write_atomically(path, [&](const std::string& temporary) { write_features(temporary, features); });
  clean_up(directory);
}

}  // namespace

std::string cache_path(const SourceFiles& files, const FeatureSettings& settings, const std::string& directory) {
  std::array<XXH128_hash_t, 2> contents;
  const auto hash = [](const std::string& bytes) { return XXH3_128bits(bytes.data(), bytes.size()); };
  contents[0] = hash(io::read_file("squad", files.data));
  contents[1] = hash(io::read_file("vocab", files.vocab));
  const std::string key = fmt::format(
      "format {} data {:x}{:x} vocab {:x}{:x} length {} stride {} query {} characters {}", kCacheFormat,
      contents[0].high64, contents[0].low64, contents[1].high64, contents[1].low64, settings.sequence_length,
      settings.document_stride, settings.max_query_length, settings.keep_characters);
  const XXH128_hash_t name = hash(key);
  return fmt::format("{}/squad-v{}-{:016x}{:016x}.h5", directory, kCacheFormat, name.high64, name.low64);
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
      std::error_code error;  // a folder that may only be read is a cache, too
      fs::last_write_time(path, fs::file_time_type::clock::now(), error);
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
